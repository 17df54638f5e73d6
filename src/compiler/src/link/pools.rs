//! Resource pools and their store: rows, and what is wrong with the wiring.

use tpv_runtime::artifact::tables::{OversizeRow, StoreRow};
use tpv_runtime::pools::configured::{ConfiguredError, IN_MEMORY, OptionValue, VALKEY, ValkeyOptions};

use tpv_config::Config;
use tpv_config::entity::{Oversize, StoreConfig};
use tpv_text::diagnostic::Diagnostic;
use tpv_text::source::Span;
use tpv_yaml::value::{ConfigValue, ValueKind};

use super::Linker;

/// TPV's message about pools without a store.
const LACKS_STORE: &str = "Resource pools are configured under 'pools:' but 'global.resource_pool_store' is not set. Add the store \
    wiring (e.g. a ValkeyAllocationStore) so enforcement is active, or remove the pools.";

/// Returns `true` if there are pools without a store: TPV loads this, but its mapper does not start.
pub fn lacks_store(config: &Config) -> bool {
    !config.pools.is_empty() && config.global.resource_pool_store.is_none()
}

/// `oversize` of a pool.
pub(super) fn oversize_row(oversize: &Oversize) -> OversizeRow {
    let [cores, mem, gpus] =
        [&oversize.hard_max_cores, &oversize.hard_max_mem, &oversize.hard_max_gpus].map(|most| number(most.as_ref()?));
    OversizeRow {
        max_concurrent: match oversize.max_concurrent.as_ref().map(|most| &most.kind) {
            None => 0,
            Some(ValueKind::Int(most)) => *most,
            // More than a user ever has, or less than none.
            Some(ValueKind::BigInt(most)) if most.sign() == num_bigint::Sign::Minus => i64::MIN,
            Some(_) => i64::MAX,
        },
        hard_max: [cores, mem, gpus],
        reserve_pool: oversize.reserve_pool.unwrap_or(false),
    }
}

#[expect(clippy::cast_precision_loss, reason = "Python's float(int) rounds the same way")]
fn number(value: &ConfigValue) -> Option<f64> {
    match &value.kind {
        ValueKind::Int(number) => Some(*number as f64),
        ValueKind::Float(number) => Some(*number),
        _ => None,
    }
}

impl Linker<'_> {
    /// The store.
    pub(super) fn store(&mut self, store: &StoreConfig) -> StoreRow {
        StoreRow { class: self.strings.id(store.store_class.as_str()), options: self.dict(&store.options) }
    }

    /// Pools need a store, and TPV makes it when its mapper starts: what keeps it from that is an error here.
    pub(super) fn check_pools(&mut self, config: &Config) {
        let Some(store) = &config.global.resource_pool_store else {
            if let Some(pool) = config.pools.values().next().filter(|_| !config.holes.define("resource_pool_store")) {
                self.diagnostics.push(
                    Diagnostic::error("there are `pools`, but `global.resource_pool_store` is not set")
                        .at(pool.span, "a pool")
                        .help(format!(
                            "write `resource_pool_store:` with `class: {VALKEY}` and `url: valkey://HOST:6379/0` under `global`, or remove the pools"
                        ))
                        .raises("ValueError", LACKS_STORE),
                );
            }
            return;
        };
        match store.store_class.as_str() {
            IN_MEMORY => {}
            VALKEY => self.check_options(store),
            class => self.diagnostics.push(
                Diagnostic::warning(format!("the store `{class}` is not one of TPV's own"))
                    .at(store.store_class.span, "")
                    .note("inside Galaxy, CPython makes and asks it; `tpvc map` and `tpvc dry-run` keep allocations in memory")
                    .help(format!("TPV's own are `{VALKEY}` and `{IN_MEMORY}`")),
            ),
        }
    }

    /// Tells what the store in Valkey cannot be made with.
    fn check_options(&mut self, store: &StoreConfig) {
        let options: Vec<(&str, &ConfigValue)> = store.options.iter().map(|(key, value)| (&**key, value)).collect();
        let made = ValkeyOptions::new(options.iter().map(|(name, value)| (*name, option_value(value))));
        let Err(error) = made else { return };
        // The option that is wrong by itself; the URL for what is wrong in it.
        let wrong = |(name, value): &&(&str, &ConfigValue)| {
            *name == "url" || ValkeyOptions::new([(*name, option_value(value))]).is_err()
        };
        let alone =
            options.iter().filter(|(name, _)| *name != "url").find(wrong).or_else(|| options.iter().find(wrong));
        let span: Span = alone.map_or(store.store_class.span, |(_, value)| value.span);
        self.diagnostics.push(match error {
            ConfiguredError::Option(name) => {
                Diagnostic::warning(format!("`{name}` is an option of redis-py that the native store does not have"))
                    .at(span, "")
                    .note("inside Galaxy, Python's package `redis` serves such a store, and must be installed")
                    .help("remove it, if it can be done without; docs/pools.md lists the native options")
            }
            ConfiguredError::Expires => Diagnostic::error("the ledgers of resource pools cannot expire while jobs run")
                .at(span, "with this TPV's mapper does not start")
                .help("remove `ttl`: an allocation ends when Galaxy's job table shows that its job has ended")
                .raises("ValueError", error.to_string()),
            error => Diagnostic::error(error.to_string())
                .at(span, "with this TPV's mapper does not start")
                .help("docs/pools.md lists the options of the store")
                .raises("ValueError", error.to_string()),
        });
    }
}

/// The value of an option, as the store takes it.
#[expect(clippy::cast_precision_loss, reason = "seconds and numbers of databases are small")]
fn option_value(value: &ConfigValue) -> OptionValue {
    match &value.kind {
        ValueKind::Null => OptionValue::None,
        ValueKind::Str(text) => OptionValue::Text(text.as_str().to_owned()),
        ValueKind::Bool(value) => OptionValue::Text(if *value { "True" } else { "False" }.to_owned()),
        ValueKind::Int(number) => OptionValue::Number(*number as f64),
        ValueKind::Float(number) => OptionValue::Number(*number),
        _ => OptionValue::Other,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use crate::{CompileOptions, compile_inputs};
    use tpv_config::Input;

    /// The rendered messages about a store with these fields.
    fn messages(fields: &str) -> String {
        let text = format!("global:\n  resource_pool_store: {{{fields}}}\npools: {{p: {{max_concurrent_cores: 1}}}}\n");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tpv.yml");
        std::fs::write(&path, text).unwrap();
        let input = Input::Named(path.to_str().unwrap().to_owned());
        let compiled = compile_inputs(&[input], tpv_config::ConfigTexts::default(), &CompileOptions::default());
        assert_eq!(compiled.rules.is_some(), !compiled.diagnostics.has_errors());
        compiled.diagnostics.iter().map(|one| one.message.clone() + "\n").collect()
    }

    #[test]
    fn stores_that_native_code_cannot_make_are_reported() {
        assert_eq!(messages("url: 'unix:///run/valkey', max_connections: 10, db: 2, ssl_cert_reqs: none"), "");
        assert_eq!(messages("class: tpv.core.resource_pool.InMemoryAllocationStore, whatever: 1"), "");
        assert_eq!(
            messages("class: site.pools.Store, servers: [a, b]"),
            "the store `site.pools.Store` is not one of TPV's own\n"
        );
        assert_eq!(
            messages("credential_provider: vault"),
            "`credential_provider` is an option of redis-py that the native store does not have\n"
        );
        assert_eq!(messages("url: [a]"), "the option `url` of the store must be a text\n");
        assert_eq!(messages("socket_timeout: soon"), "the option `socket_timeout` of the store must be a number\n");
    }
}
