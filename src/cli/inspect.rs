//! `tpvc inspect`

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::Args;
use tpv_bytecode::listing::listing;
use tpv_bytecode::{CodeKind, ProgramData};
use tpv_runtime::artifact::Rules;
use tpv_runtime::artifact::format::{SECTIONS, manifest};
use tpv_runtime::artifact::tables::Tables;

use super::error::{CliError, Outcome};
use super::output::print_lines;
use super::rules::artifact_error;
use tpv_compiler::link::{blocks_at, cpython_blocks, paths_near};
use tpv_config::template::variables_in;
use tpv_text::figures::{count, grouped};
use tpv_text::printable::{Form, put_line};
use tpv_text::suggest::did_you_mean;

/// Show what is inside an artifact
///
/// Without options: its sections with their sizes, how many entities of each kind, and how many blocks of code.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc inspect rules.bin\n  \
    tpvc inspect rules.bin --code tools.bwa.mem\n  \
    tpvc inspect rules.bin --code 17")]
pub(super) struct Inspect {
    /// The artifact
    rules: PathBuf,
    /// List the instructions of a block: its number, or the path of a property such as `tools.bwa.mem`
    #[arg(long, value_name = "BLOCK")]
    code: Option<String>,
}

impl Inspect {
    pub(super) fn run(&self) -> Result<Outcome, CliError> {
        print_lines(Form::Text, &self.text()?)?;
        Ok(Outcome::Done)
    }

    fn text(&self) -> Result<String, CliError> {
        let bytes = super::input::artifact(&self.rules)?;
        let bad = |error: tpv_runtime::Error| artifact_error(&self.rules, &error.to_string());
        let manifest = manifest(&bytes).map_err(bad)?;
        let rules = Rules::load(&bytes).map_err(bad)?;
        if let Some(wanted) = &self.code {
            return self.listing(&rules, wanted);
        }
        let mut text = String::new();
        put_line!(
            text,
            "{}: format {}, written by tpvc {} for TPV {}, {} bytes",
            self.rules.display(),
            manifest.version,
            manifest.writer,
            rules.tables().global.version,
            grouped(bytes.len() as u64)
        );
        text += "\nsections\n";
        for section in &manifest.sections {
            let about = SECTIONS.iter().find(|(name, _)| *name == section.name).map_or("", |(_, about)| about);
            put_line!(text, "  {}  {:>12} bytes  {about}", section.name, grouped(section.length as u64));
        }
        text += &entities(rules.tables());
        text += &code(rules.program());
        text += &in_cpython(&rules);
        text += &placeholders(&rules);
        Ok(text)
    }

    fn listing(&self, rules: &Rules, wanted: &str) -> Result<String, CliError> {
        let program = rules.program();
        let blocks: Vec<u32> = match wanted.parse() {
            Ok(number) => vec![number],
            Err(_) => blocks_at(rules.tables(), wanted),
        };
        let codes: Vec<String> = blocks
            .iter()
            .filter(|block| (**block as usize) < program.codes.len())
            .map(|block| listing(program, *block))
            .collect();
        if codes.is_empty() {
            let help = match paths_near(rules.tables(), wanted).as_slice() {
                _ if wanted.parse::<u32>().is_ok() => {
                    format!("blocks have the numbers 0 to {}", program.codes.len().saturating_sub(1))
                }
                [] => "name a block by its number or by the path of its property, such as `tools.bwa.mem`".to_owned(),
                [near] => did_you_mean(near),
                several => format!("there is code at `{}`", several.join("`, `")),
            };
            let message = format!("no block `{wanted}` in `{}`", self.rules.display());
            return Err(CliError::new(message, help));
        }
        Ok(codes.join("\n"))
    }
}

fn entities(tables: &Tables) -> String {
    let mut text = "\nentities\n".to_owned();
    for (name, number) in [
        ("tools", tables.tools.rows.len()),
        ("roles", tables.roles.rows.len()),
        ("users", tables.users.rows.len()),
        ("destinations", tables.destinations.len()),
        ("pools", tables.pools.len()),
        ("rules", tables.rules.len()),
        ("tags", tables.tags.len()),
    ] {
        text += &format!("  {:>12}  {name}\n", grouped(number as u64));
    }
    text
}

/// The variables of templates that had no value when the rules were compiled, by the texts that stand in for them.
fn placeholders(rules: &Rules) -> String {
    let texts = rules.tables().strings.iter().chain(&rules.program().strings);
    let names: BTreeSet<&str> = texts.flat_map(|text| variables_in(text)).collect();
    if names.is_empty() {
        return String::new();
    }
    let mut text = "\nvariables without a value, for which placeholders stand in\n".to_owned();
    for name in names {
        put_line!(text, "  {name}");
    }
    text
}

/// The blocks that CPython runs where there is one, with the reasons.
fn in_cpython(rules: &Rules) -> String {
    let blocks = cpython_blocks(rules.tables(), rules.program());
    if blocks.is_empty() {
        return String::new();
    }
    let mut text = "\nrun by CPython, in the Python package of tpvc\n".to_owned();
    for block in blocks {
        let others = match block.others {
            0 => String::new(),
            1 => " and in one other place".to_owned(),
            others => format!(" and in {} other places", grouped(others as u64)),
        };
        let inside = if block.only_live { ", inside Galaxy only" } else { "" };
        put_line!(text, "  {}{others}{inside}: {}", block.path, block.reason);
    }
    text
}

fn code(program: &ProgramData) -> String {
    let mut kinds: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for code in &program.codes {
        let name = match code.kind {
            CodeKind::Block => "blocks",
            CodeKind::FString => "f-strings",
            CodeKind::Exec => "statements (`execute`)",
            CodeKind::Function => "functions inside them",
        };
        let entry = kinds.entry(name).or_default();
        entry.0 += 1;
        entry.1 += code.instrs.len() as u64;
    }
    let kernels = program.codes.iter().filter(|code| code.kernel.is_some()).count();
    let mut text = "\ncode\n".to_owned();
    for (name, (number, instrs)) in kinds {
        text += &format!("  {:>12}  {name}, {}\n", grouped(number), count(instrs, "instruction"));
    }
    text += &format!("  {:>12}  of the blocks and f-strings with kernels\n", grouped(kernels as u64));
    text
}
