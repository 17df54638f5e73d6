//! T154: code that TPV never evaluates: in values of `context`, and `{{ mem }}` as a template has it, of which an f-string makes the text `{ mem }`.

use std::collections::HashSet;
use std::convert::Infallible;
use std::ops::Range;

use tpv_bytecode::CodeKind;
use tpv_compiler::checker::{GIVEN, sites};
use tpv_compiler::python::syntax::ast::{Expr, Operator, Stmt};
use tpv_compiler::python::walk::{self, Part};
use tpv_compiler::python::{parse, validate};
use tpv_config::Config;
use tpv_config::entity::{Common, Dict};
use tpv_config::origin::TextOrigin;
use tpv_model::{EntityClass, Resource};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_yaml::value::{ConfigValue, Text};

use super::Linter;
use super::words::{has_word, words};

/// Functions that numbers and texts are made with.
const FUNCTIONS: [&str; 10] = ["int", "float", "round", "min", "max", "str", "len", "sum", "abs", "bool"];

/// Calls by which code evaluates or fills in a text.
const FILLING: [&str; 8] = ["eval(", "exec(", ".format(", "format_map(", ".replace(", ".sub(", "Template(", "compile("];

/// Looks at all contexts, and at all f-strings.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    let code = sites::collect(config);
    let known = Known::of(config);
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let mut look = |context: Option<&Dict>, no_qa: &[Text]| {
        for (name, value) in context.into_iter().flatten() {
            if let Some(diagnostic) = of_context(name, value, &known, &code, config).filter(|_| seen.insert(value.span))
            {
                found.push(Finding::new(Code::Unevaluated, diagnostic).of(no_qa));
            }
        }
    };
    look(Some(&config.global.context), &[]);
    for kind in EntityClass::SECTIONS {
        for entity in config.section(kind).values() {
            let of = |common: &Common, look: &mut dyn FnMut(Option<&Dict>, &[Text])| {
                look(common.context.as_deref(), &entity.common.no_qa_codes);
            };
            entity.commons().for_each(|common| of(common, &mut look));
        }
    }
    for site in code.iter().filter(|site| site.kind == CodeKind::FString) {
        for (range, inner) in doubled(site.text.as_str()) {
            if !is_data(inner) && known.is_code(filtered(inner), true) {
                let span = TextOrigin::new(site.text, linter.sources).span(range.clone());
                let written = site.text.as_str().get(range).unwrap_or_default();
                let no_qa = site.owners.iter().map(|owner| owner.common.no_qa_codes.as_slice());
                found.push(Finding::new(Code::Unevaluated, of_braces(written, inner, span)).within(no_qa));
            }
        }
    }
    found.into_iter().for_each(|finding| linter.report(finding));
}

/// Judges a value of a context.
fn of_context(
    name: &str,
    value: &ConfigValue,
    known: &Known<'_>,
    code: &[sites::Site<'_>],
    config: &Config,
) -> Option<Diagnostic> {
    let text = value.as_text()?.as_str();
    let expression = known.in_text(text)?;
    let reads = |site: &&sites::Site<'_>| has_word(site.text.as_str(), name);
    let mut readers = code.iter().filter(reads);
    // Code may do with the text what TPV does not.
    if readers.clone().any(|site| FILLING.iter().any(|call| site.text.as_str().contains(call))) {
        return None;
    }
    let mut diagnostic = Diagnostic::warning(format!("the code in the context value `{name}` is never evaluated"))
        .at(value.span, format!("`{name}` is this text, as it is written"));
    if let Some(reader) = readers.next() {
        diagnostic = diagnostic.also(reader.text.span, format!("`{}` reads it", reader.property));
    }
    let here = format!("write `{expression}` where `{name}` is read");
    let is_late = !config.version.has_models();
    let help = if is_late {
        here
    } else {
        format!("{here}, or set it by code, in a rule: `execute: entity.context['{name}'] = {expression}`")
    };
    Some(diagnostic.note("values of `context` are plain: code gets them as they are").help(help))
}

fn of_braces(written: &str, inner: &str, span: Span) -> Diagnostic {
    Diagnostic::warning(format!("`{written}` is not evaluated: doubled braces are plain ones"))
        .at(span, format!("the value has `{{{inner}}}` here"))
        .help(format!("write `{{{}}}`", filtered(inner).trim()))
}

/// The expression before a filter of a template: `mem | int`.
fn filtered(inner: &str) -> &str {
    inner.split('|').next().unwrap_or(inner)
}

/// Returns `true` for what braces hold in a shell, YAML or JSON: items between commas, or a name and, after a colon and a blank, its value.
fn is_data(inner: &str) -> bool {
    let mut depth = 0_u32;
    let has_comma = inner.chars().any(|c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    has_comma || inner.split(':').skip(1).any(|after| after.starts_with(char::is_whitespace))
}

/// The places of `{{ ... }}` in a text with what stands between, unless a `$` before it says that it is for a shell.
fn doubled(text: &str) -> Vec<(Range<usize>, &str)> {
    let mut out = Vec::new();
    let mut from = 0;
    while let Some(start) = text.get(from..).and_then(|rest| rest.find("{{")).map(|at| from + at) {
        let inside = start + 2;
        from = inside;
        let Some(length) = text.get(inside..).and_then(|rest| rest.find(['{', '}'])) else { break };
        let end = inside + length;
        let is_closed = text.get(end..).is_some_and(|rest| rest.starts_with("}}") && !rest.starts_with("}}}"));
        if is_closed && !text.get(..start).is_some_and(|before| before.ends_with(['$', '{'])) {
            out.push((start..end + 2, text.get(inside..end).unwrap_or_default()));
            from = end + 2;
        }
    }
    out
}

/// The names that code may read.
struct Known<'a> {
    contexts: HashSet<&'a str>,
}

impl<'a> Known<'a> {
    fn of(config: &'a Config) -> Self {
        let mut contexts: HashSet<&str> = config.global.context.keys().map(|key| &**key).collect();
        for kind in EntityClass::SECTIONS {
            let commons = config.section(kind).values().flat_map(|entity| entity.commons());
            contexts.extend(
                commons.flat_map(|common| common.context.iter().flat_map(|dict| dict.keys().map(|key| &**key))),
            );
        }
        Self { contexts }
    }

    /// The code in a text that is not evaluated: the expression in its braces, or all of it.
    fn in_text<'t>(&self, text: &'t str) -> Option<&'t str> {
        let mut parts = text.split('{').zip(text.split('{').skip(1)).filter(|(before, _)| !before.ends_with('$'));
        let of_braces = parts.find_map(|(_, rest)| {
            let inner = rest.split('}').next().filter(|inner| inner.len() < rest.len() && !is_data(inner))?;
            let without_format = || inner.rsplit_once([':', '!']).map_or(inner, |(expression, _)| expression);
            [inner, filtered(inner), without_format()].into_iter().find(|code| self.is_code(code, true))
        });
        of_braces.map(str::trim).or_else(|| self.is_code(text, false).then(|| text.trim()))
    }

    /// Returns `true` for an expression about the job: it reads a name that TPV gives, and no other than those that a config may read. Where a text is
    /// not in braces, `mem-8` is rather a name.
    fn is_code(&self, text: &str, in_braces: bool) -> bool {
        let Some(expression) = expression(text) else { return false };
        let is_given = |name: &str| GIVEN.contains(&name) || Resource::from_name(name).is_some();
        let names = names(&expression);
        let known = |name: &String| {
            is_given(name) || FUNCTIONS.contains(&name.as_str()) || self.contexts.contains(name.as_str())
        };
        let is_about_jobs = names.iter().any(|name| is_given(name)) && names.iter().all(known);
        is_about_jobs && (in_braces || computes(&expression, text))
    }
}

/// Returns `true` if an expression computes something, and looks like it.
fn computes(expression: &Expr, text: &str) -> bool {
    match expression {
        Expr::BinOp(node) => node.op == Operator::Mult || words(text).count() > 1 && text.trim().contains(' '),
        Expr::Call(_) | Expr::IfExp(_) => true,
        Expr::Compare(_) => text.trim().contains(' '),
        _ => false,
    }
}

/// The only expression of a text.
pub(super) fn expression(text: &str) -> Option<Expr> {
    let parsed = parse::parse(text.trim(), CodeKind::Block).ok()?;
    validate::validate(&parsed.body, &parsed.text).ok()?;
    match parsed.body.as_slice() {
        [Stmt::Expr(node)] => Some((*node.value).clone()),
        _ => None,
    }
}

/// The names in an expression.
pub(super) fn names(expression: &Expr) -> Vec<String> {
    fn collect(node: &Expr, out: &mut Vec<String>) {
        if let Expr::Name(name) = node {
            out.push(name.id.to_string());
        }
        let _: Result<(), Infallible> = walk::expression(node, &mut |part| {
            if let Part::Expr(part) = part {
                collect(part, out);
            }
            Ok(())
        });
    }
    let mut out = Vec::new();
    collect(expression, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_in_texts() {
        let known = Known { contexts: HashSet::from(["walltime"]) };
        for (text, code) in [
            ("{int(input_size * 10)}", Some("int(input_size * 10)")),
            ("--mem={mem}", Some("mem")),
            ("{mem:.1f}G", Some("mem")),
            ("input_size * walltime", Some("input_size * walltime")),
            ("24 if input_size > 3 else 12", Some("24 if input_size > 3 else 12")),
            ("max(mem, 8)", Some("max(mem, 8)")),
            ("{{ mem }}", Some("mem")),
            ("mem-8", None),
            ("mem", None),
            ("job.xml", None),
            ("${mem}", None),
            ("{host}", None),
            ("{max(mem, 8)}", Some("max(mem, 8)")),
            ("/data/{mem,cores}", None),
            ("{mem: 8}", None),
            ("{limits: {memory: mem}}", None),
            (r#"{"mem": mem}"#, None),
            ("a * b", None),
            ("24:00:00", None),
            ("tool or user", None),
            ("user@example.org", None),
        ] {
            assert_eq!(known.in_text(text), code, "{text}");
        }
    }

    #[test]
    fn doubled_braces() {
        let found = |text| doubled(text).into_iter().map(|(_, inner)| inner.to_owned()).collect::<Vec<_>>();
        assert_eq!(found("--mem={{ mem }} {{cores}}"), [" mem ", "cores"]);
        assert_eq!(found("${{mem}} {{{mem}}} {{ {mem} }} {{"), [""; 0]);
        assert!(is_data("mem,cores") && !is_data("max(mem, 8)") && !is_data("mem:.1f"));
    }
}
