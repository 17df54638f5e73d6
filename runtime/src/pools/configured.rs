//! The store that a config names under `global.resource_pool_store`.

use std::fmt;
use std::sync::Arc;

use super::memory::InMemoryAllocationStore;
use super::{AllocationStore, KEY_PREFIX};
use crate::artifact::Rules;
use crate::artifact::tables::{StoreRow, Tables, ValueRow};
use tpv_literal::float_text;

/// TPV's store in the process.
pub const IN_MEMORY: &str = "tpv.core.resource_pool.InMemoryAllocationStore";
/// TPV's store in Valkey or Redis.
pub const VALKEY: &str = "tpv.core.resource_pool.ValkeyAllocationStore";
/// The default URL of Valkey.
const URL: &str = "valkey://localhost:6379/0";

/// The error of creating a store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfiguredError {
    /// The class is not one of TPV's: only CPython can make such a store.
    Foreign(String),
    /// The native store has no such option; the option's name.
    Option(String),
    /// An option has a value that cannot be; what is wrong.
    Value(String),
    /// A ledger is to expire.
    Expires,
    /// This build has no store in Valkey.
    NotBuilt,
}

/// TPV's message about a ledger that is to expire.
pub const EXPIRES: &str = "Resource pool ledgers cannot expire while jobs are running; remove ttl or set ttl: 0";

impl fmt::Display for ConfiguredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign(class) => write!(f, "the store `{class}` is not one of TPV's own"),
            Self::Option(name) => write!(f, "`{name}` is not an option of the native store"),
            Self::Value(what) => f.write_str(what),
            Self::Expires => f.write_str(EXPIRES),
            Self::NotBuilt => f.write_str("this build has no store in Valkey or Redis (feature `valkey`)"),
        }
    }
}

impl std::error::Error for ConfiguredError {}

/// The connection to the store in Valkey.
#[derive(Clone, Debug, PartialEq)]
pub struct ValkeyOptions {
    /// `redis://`, `rediss://`, `unix://`, `valkey://` or `valkeys://`, without a query.
    pub url: String,
    /// The prefix of a pool's name in a key.
    pub key_prefix: String,
    /// The name for authentication.
    pub username: Option<String>,
    /// The password.
    pub password: Option<String>,
    /// The number of the database.
    pub db: Option<i64>,
    /// Seconds to wait for an answer.
    pub socket_timeout: f64,
    /// Seconds to wait for a connection.
    pub socket_connect_timeout: f64,
    /// `true` if the server's certificate is not verified.
    pub ssl_insecure: bool,
    /// A file of certificates to trust, in place of the system's.
    pub ssl_ca_certs: Option<String>,
    /// The file of a certificate of one's own, and that of its key.
    pub ssl_certfile: Option<String>,
    /// The file of the key.
    pub ssl_keyfile: Option<String>,
}

/// Seconds after which a server that says nothing counts as away.
///
/// DIFFERENCE: TPV waits without end unless the config sets `socket_timeout`, and so does the job handler.
const PATIENCE: f64 = 5.0;

impl ValkeyOptions {
    /// The options under these names, as redis-py takes them: those in the query of the URL win.
    ///
    /// # Errors
    /// [`ConfiguredError`] for an option that is not known, or a value that cannot be.
    pub fn new<'a>(options: impl IntoIterator<Item = (&'a str, OptionValue)>) -> Result<Self, ConfiguredError> {
        let mut all = Self {
            url: URL.to_owned(),
            key_prefix: KEY_PREFIX.to_owned(),
            username: None,
            password: None,
            db: None,
            socket_timeout: PATIENCE,
            socket_connect_timeout: PATIENCE,
            ssl_insecure: false,
            ssl_ca_certs: None,
            ssl_certfile: None,
            ssl_keyfile: None,
        };
        for (name, value) in options {
            all.set(name, value)?;
        }
        let query = all.url.split_once('?').map(|(url, query)| (url.to_owned(), query.to_owned()));
        if let Some((url, query)) = query {
            all.url = url;
            for item in query.split('&').filter(|item| !item.is_empty()) {
                let (name, value) = item.split_once('=').unwrap_or((item, ""));
                if ["url", "key_prefix", "ttl"].contains(&name) {
                    return Err(ConfiguredError::Option(name.to_owned()));
                }
                all.set(name, OptionValue::Text(value.to_owned()))?;
            }
        }
        let schemes = ["redis://", "rediss://", "unix://", "valkey://", "valkeys://"];
        if !schemes.iter().any(|scheme| all.url.starts_with(scheme)) {
            return Err(ConfiguredError::Value(format!(
                "the URL of the store must begin with one of `{}`",
                schemes.join("`, `")
            )));
        }
        Ok(all)
    }

    fn set(&mut self, name: &str, value: OptionValue) -> Result<(), ConfiguredError> {
        let text = |value: OptionValue| match value {
            OptionValue::Text(text) => Ok(Some(text)),
            OptionValue::Number(number) => Ok(Some(float_text::repr(number).trim_end_matches(".0").to_owned())),
            OptionValue::None => Ok(None),
            OptionValue::Other => {
                Err(ConfiguredError::Value(format!("the option `{name}` of the store must be a text")))
            }
        };
        let number = |value: OptionValue| {
            let number = match &value {
                OptionValue::Text(text) => text.parse().ok(),
                OptionValue::Number(number) => Some(*number),
                _ => None,
            };
            let wrong = || ConfiguredError::Value(format!("the option `{name}` of the store must be a number"));
            number.filter(|number| number.is_finite()).ok_or_else(wrong)
        };
        match name {
            "url" => {
                let wrong = || ConfiguredError::Value("the URL of the store must be a text".to_owned());
                self.url = text(value)?.ok_or_else(wrong)?;
            }
            "key_prefix" => self.key_prefix = text(value)?.unwrap_or_else(|| "None".to_owned()),
            "ttl" if number(value.clone()).is_ok_and(|ttl| ttl == 0.0) => {}
            "ttl" => return Err(ConfiguredError::Expires),
            "username" => self.username = text(value)?,
            "password" => self.password = text(value)?,
            #[expect(clippy::cast_possible_truncation, reason = "databases have small numbers")]
            "db" => self.db = Some(number(value)? as i64),
            "socket_timeout" => self.socket_timeout = number(value)?,
            "socket_connect_timeout" => self.socket_connect_timeout = number(value)?,
            "ssl_cert_reqs" => self.ssl_insecure = text(value)?.as_deref() == Some("none"),
            "ssl_ca_certs" => self.ssl_ca_certs = text(value)?,
            "ssl_certfile" => self.ssl_certfile = text(value)?,
            "ssl_keyfile" => self.ssl_keyfile = text(value)?,
            // They change how redis-py works, and nothing that a ledger needs.
            "decode_responses"
            | "max_connections"
            | "health_check_interval"
            | "retry_on_timeout"
            | "socket_keepalive"
            | "client_name"
            | "single_connection_client" => {}
            name => return Err(ConfiguredError::Option(name.to_owned())),
        }
        Ok(())
    }
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    /// `null`
    None,
    /// A text.
    Text(String),
    /// A number.
    Number(f64),
    /// Anything else.
    Other,
}

impl OptionValue {
    /// The value of a row.
    #[expect(clippy::cast_precision_loss, reason = "seconds and numbers of databases are small")]
    fn of(tables: &Tables, row: &ValueRow) -> Self {
        match row {
            ValueRow::None => Self::None,
            ValueRow::Str(id) => Self::Text(tables.strings.get(*id as usize).cloned().unwrap_or_default()),
            ValueRow::Int(number) => Self::Number(*number as f64),
            ValueRow::Float(number) => Self::Number(*number),
            ValueRow::Bool(value) => Self::Text(if *value { "True" } else { "False" }.to_owned()),
            _ => Self::Other,
        }
    }
}

/// The store that the rules name; `None` where they name none. Nothing is reached yet.
///
/// # Errors
/// [`ConfiguredError`]
pub fn store(rules: &Rules) -> Result<Option<Arc<dyn AllocationStore>>, ConfiguredError> {
    let tables = rules.tables();
    let Some(row) = &tables.global.resource_pool_store else { return Ok(None) };
    match tables.strings.get(row.class as usize).map_or("", String::as_str) {
        IN_MEMORY => Ok(Some(Arc::new(InMemoryAllocationStore::default()))),
        VALKEY => valkey(&options(tables, row)?).map(Some),
        class => Err(ConfiguredError::Foreign(class.to_owned())),
    }
}

/// The options of the store in Valkey that a row gives.
///
/// # Errors
/// As [`ValkeyOptions::new`].
pub fn options(tables: &Tables, row: &StoreRow) -> Result<ValkeyOptions, ConfiguredError> {
    ValkeyOptions::new(row.options.iter().map(|(name, value)| {
        (tables.strings.get(*name as usize).map_or("", String::as_str), OptionValue::of(tables, value))
    }))
}

#[cfg(feature = "valkey")]
fn valkey(options: &ValkeyOptions) -> Result<Arc<dyn AllocationStore>, ConfiguredError> {
    super::valkey::ValkeyAllocationStore::new(options)
        .map(|store| Arc::new(store) as Arc<dyn AllocationStore>)
        .map_err(|error| ConfiguredError::Value(error.to_string()))
}

#[cfg(not(feature = "valkey"))]
fn valkey(_: &ValkeyOptions) -> Result<Arc<dyn AllocationStore>, ConfiguredError> {
    Err(ConfiguredError::NotBuilt)
}
