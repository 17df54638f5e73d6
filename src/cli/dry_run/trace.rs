//! A trace as excerpts of the config: where the exception was raised, and where what raised it was called.

use tpv_analysis::explain::word_at;
use tpv_runtime::mapper::places::ConfigPlace;
use tpv_runtime::mapper::trace::{Call, Trace};

use tpv_text::diagnostic::Diagnostic;
use tpv_text::source::{SourceMap, Span};

/// The texts to show excerpts of.
pub(super) enum Excerpts<'a> {
    /// The config files.
    Whole(&'a SourceMap),
    /// The lines that an artifact knows, each added when it is shown.
    Lines(SourceMap),
}

impl Excerpts<'_> {
    /// The texts, when everything has been shown.
    pub(super) fn sources(&self) -> &SourceMap {
        match self {
            Self::Whole(sources) => sources,
            Self::Lines(sources) => sources,
        }
    }

    /// Adds a trace to the failure of a job, which ended in an exception of this class.
    pub(super) fn show(&mut self, mut failure: Diagnostic, trace: &Trace, class: &str) -> Diagnostic {
        for (index, call) in trace.calls.iter().enumerate() {
            let function = call.function.as_ref().map_or_else(String::new, |name| format!(", in {name}"));
            let further: String =
                [call.alike(), call.more()].into_iter().flatten().map(|more| format!(", {more}")).collect();
            let span = self.span(call);
            failure = match (index, span) {
                (0, Some(span)) => failure.at(span, format!("raised here{function}: {class}{further}")),
                (0, None) => failure.note(format!("raised at {}{function}{further}", call.place)),
                (_, Some(span)) => failure.called(span, format!("called here{function}{further}")),
                (_, None) => failure.note(format!("called at {}{function}{further}", call.place)),
            };
        }
        if let Some(made) = &trace.made {
            let word = if trace.calls.is_empty() { "raised" } else { "called" };
            failure = failure.note(format!("{word} in code made at run time: `{made}`"));
        }
        let Some(cause) = &trace.cause else { return failure };
        let how = if cause.direct { "it was raised from" } else { "it was raised while this was handled:" };
        let mut behind = Diagnostic::error(format!("{how} {}", cause.what));
        if let Some(trace) = &cause.trace {
            let class = cause.what.split(':').next().unwrap_or_default();
            behind = self.show(behind, trace, class);
        }
        failure.behind(behind)
    }

    /// The word under a place, or one character, where the text is known.
    fn span(&mut self, call: &Call) -> Option<Span> {
        let source = match self {
            Self::Whole(_) => call.place.source,
            Self::Lines(sources) => {
                sources.add_excerpt(&call.place.file, call.line.as_deref()?, call.place.line as usize).0
            }
        };
        word_at(self.sources(), &ConfigPlace { source, ..call.place.clone() })
    }
}
