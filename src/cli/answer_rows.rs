//! Answers as rows of a table: a line a job, in flat columns.

use clap::ValueEnum;
use tpv_galaxy::answer::{Answer, Field};
use tpv_galaxy::job::Job;
use tpv_galaxy::json::{Json, Reader, write_text};
use tpv_model::Quantity;

use tpv_text::printable::Form;
use tpv_text::rows::{Cell, Delimited};

/// The form of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// A line of JSON a job
    Json,
    /// Comma-separated values with a header, safe to open in a spreadsheet
    Csv,
    /// The same with unchanged texts, for programs
    CsvRaw,
    /// A line a job, values separated by tabs, without a header
    Tsv,
}

/// The columns before the fields of the destination, and after them.
const BEFORE: [&str; 2] = ["id", "tool"];
const AFTER: [&str; 2] = ["error", "message"];

/// The columns of a job that was mapped.
fn fields() -> impl Iterator<Item = (&'static str, Field)> {
    let place = [("destination", Field::Id), ("runner", Field::Runner)];
    let amounts = Quantity::ALL.map(|quantity| (quantity.name(), quantity.into()));
    let rest = [("tags", Field::Tags), ("params", Field::Params), ("env", Field::Env), ("resubmit", Field::Resubmit)];
    place.into_iter().chain(amounts).chain(rest)
}

/// The column of `--detail`.
const CANDIDATES: &str = "candidates";

impl Format {
    /// The form of rows; `None` if answers are lines of JSON.
    fn rows(self) -> Option<Delimited> {
        match self {
            Self::Json => None,
            Self::Csv => Some(Delimited::Csv),
            Self::CsvRaw => Some(Delimited::CsvRaw),
            Self::Tsv => Some(Delimited::Tabs),
        }
    }

    /// The text before the answers; with the candidates if they are asked for.
    pub(super) fn header(self, detail: bool) -> String {
        let fields = fields().map(|(name, _)| name);
        let names = BEFORE.into_iter().chain(fields).chain(detail.then_some(CANDIDATES)).chain(AFTER);
        self.rows().map_or_else(String::new, |form| form.header(&names.collect::<Vec<_>>()))
    }

    /// Appends the line of a job and its answer; the job is `None` if the line is none.
    pub(super) fn write(self, out: &mut String, job: Option<&Job>, answer: &Answer, detail: bool) {
        let Some(rows) = self.rows() else { return answer.write_line(out) };
        let mut cells = vec![cell(Some(answer.id())), job.map_or(Cell::Empty, |job| job.tool_id().into())];
        cells.extend(fields().map(|(_, field)| cell(answer.text(field))));
        if detail {
            cells.push(cell(answer.text(Field::Candidates)));
        }
        let (kind, message) = answer.error().unzip();
        cells.push(kind.into());
        cells.push(message.map_or(Cell::Empty, |message| {
            let mut text = String::new();
            write_text(&mut text, message);
            cell(Some(&text))
        }));
        let form = if rows == Delimited::Tabs { Form::Text } else { Form::Data };
        out.push_str(&form.of(&rows.row(&cells)));
    }
}

/// A value of JSON in a cell: texts and numbers as they are, null as an empty cell, lists and objects as JSON.
fn cell(json: Option<&str>) -> Cell {
    let Some(text) = json else { return Cell::Empty };
    match Json::read(&mut Reader::new(text)) {
        Ok(Json::Null) => Cell::Empty,
        Ok(Json::Str(text)) => Cell::Text(text.into()),
        Ok(Json::Int(_) | Json::BigInt(_) | Json::Float(_)) => Cell::Decimal(text.to_owned()),
        _ => Cell::Text(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use tpv_compiler::{CompileOptions, compile_inputs};
    use tpv_config::Input;
    use tpv_galaxy::world::World;
    use tpv_runtime::mapper::Mapper;
    use tpv_text::source::SourceMap;

    use super::*;

    #[test]
    fn answers_have_flat_columns() {
        let mut sources = SourceMap::new();
        let config = "tools:\n  bwa: {cores: 2, mem: cores * 1.5, rules: [{if: user, fail: '=no'}]}\ndestinations:\n  a: {runner: slurm, params: {n: '{cores}'}}\n";
        let input = Input::Text(sources.add("rules.yml", config));
        let rules = compile_inputs(&[input], tpv_config::ConfigTexts::newest(sources), &CompileOptions::default())
            .rules
            .unwrap();
        let (mapper, world) = (Mapper::new(Arc::new(rules)), Arc::new(World::default()));
        let lines = [
            r#"{"id": 1, "tool": {"id": "bwa"}}"#,
            r#"{"id": "-2", "tool": {"id": "bwa"}, "user": {"email": "a@b.org"}}"#,
            "no job",
        ];
        let shown = |format: Format| {
            lines.iter().enumerate().fold(format.header(false), |mut out, (at, line)| {
                let (job, answer) = mapper.map_line(at + 1, line.as_bytes(), &world);
                format.write(&mut out, job.as_deref(), &answer, false);
                out
            })
        };
        let csv = shown(Format::Csv);
        let mut rows = csv.lines();
        assert_eq!(
            rows.next(),
            Some("id,tool,destination,runner,cores,mem,gpus,tags,params,env,resubmit,error,message")
        );
        assert_eq!(rows.next(), Some(r#"1,bwa,a,slurm,2,3.0,,[],"{""n"": ""2""}",[],[],,"#));
        assert_eq!(rows.next(), Some("-2,bwa,,,,,,,,,,JobMappingException,'=no"));
        assert!(
            rows.next().is_some_and(|row| row.starts_with(",,,,,,,,,,,InvalidJob,") && row.contains("line 3")),
            "{csv}"
        );
        assert!(shown(Format::CsvRaw).contains(",JobMappingException,=no\n"));
        assert!(shown(Format::Tsv).starts_with("1\tbwa\ta\tslurm\t2\t3.0\t\t[]\t"));
        assert!(shown(Format::Json).starts_with("{\"id\": 1, "));
    }
}
