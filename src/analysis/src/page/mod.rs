//! Pages: one HTML file each, which fetches nothing and can be mailed or kept with a build. Readable in light and dark, on a
//! phone, without scripts, and by a screen reader.
//!
//! The content of a page is in its HTML; scripts add search, sorting and plots to it. Plots are drawn by Observable
//! Plot and D3, which `vendor/` has as their authors publish them.

use std::fmt::Write;
use std::ops::RangeBounds;

pub use tpv_text::markup::escape;
use tpv_text::printable;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
const D3: &str = include_str!("vendor/d3.min.js");
const PLOT: &str = include_str!("vendor/plot.umd.min.js");
/// The licence that D3 and Plot share in wording, which goes with every copy.
const LICENCES: [&str; 2] = [include_str!("vendor/d3.LICENSE"), include_str!("vendor/plot.LICENSE")];
/// A page of fewer sections has no links to them.
const LINKED: usize = 3;

/// A page under construction.
#[derive(Debug, Default)]
pub struct Page {
    title: String,
    body: String,
    sections: Vec<String>,
    styles: Vec<&'static str>,
    scripts: Vec<&'static str>,
    data: Option<String>,
    plots: bool,
}

impl Page {
    /// A page with this title, which is plain text, and no content.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// The place for the content, as HTML: [`escape`], [`prose`] and [`code`] create it from text.
    pub fn body(&mut self) -> &mut String {
        &mut self.body
    }

    /// Adds a section with a heading, which is plain text. A page with several has links to them below its header.
    pub fn section(&mut self, heading: &str, content: impl FnOnce(&mut String)) {
        self.sections.push(heading.to_owned());
        let _ = writeln!(self.body, "<section id=\"section-{}\">\n<h2>{}</h2>", self.sections.len(), escape(heading));
        content(&mut self.body);
        let _ = writeln!(self.body, "</section>");
    }

    /// Adds rules of CSS to those of all pages.
    pub fn style(&mut self, css: &'static str) {
        self.styles.push(css);
    }

    /// Adds a script. It runs once the page is there, with `data` (see [`Page::data`]) and the functions of `script.js`.
    pub fn script(&mut self, javascript: &'static str) {
        self.scripts.push(javascript);
    }

    /// Sets the data of the scripts: a JSON text.
    pub fn data(&mut self, json: &str) {
        // Nothing in it can end the element or begin a comment.
        self.data = Some(printable::json_shown(json).replace('<', "\\u003c"));
    }

    /// Adds the library that draws, for scripts that call `plot`.
    pub fn plots(&mut self) {
        self.plots = true;
    }

    /// The whole file.
    pub fn render(&self) -> String {
        let mut out = String::with_capacity(self.body.len() + (1 << 20));
        let may_run = if self.has_scripts() { "; script-src 'unsafe-inline'" } else { "" };
        let _ = write!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'{may_run}\">\n\
             <title>{}</title>\n<style>\n{STYLE}",
            escape(&self.title)
        );
        out.extend(self.styles.iter().copied());
        let _ = write!(out, "</style>\n</head>\n<body>\n<main>\n");
        self.write_body(&mut out);
        out.push_str("</main>\n");
        let _ = writeln!(out, "<footer>tpvc {}, which follows TPV 3.3.0</footer>", env!("CARGO_PKG_VERSION"));
        self.write_scripts(&mut out);
        out.push_str("</body>\n</html>\n");
        out
    }

    /// The body, with the links to its sections below the header.
    fn write_body(&self, out: &mut String) {
        let Some((header, rest)) = self.body.split_once("</header>\n").filter(|_| self.sections.len() >= LINKED) else {
            out.push_str(&self.body);
            return;
        };
        let _ = write!(out, "{header}</header>\n<nav aria-label=\"Sections\">");
        for (number, heading) in (1..).zip(&self.sections) {
            let _ = write!(out, "<a href=\"#section-{number}\">{}</a>", escape(heading));
        }
        let _ = write!(out, "</nav>\n{rest}");
    }

    fn has_scripts(&self) -> bool {
        self.plots || !self.scripts.is_empty()
    }

    fn write_scripts(&self, out: &mut String) {
        if !self.has_scripts() {
            return;
        }
        let data = self.data.as_deref().unwrap_or("null");
        let _ = writeln!(out, "<script type=\"application/json\" id=\"data\">{data}</script>");
        if self.plots {
            for licence in LICENCES {
                let _ = writeln!(out, "<!--\n{licence}-->");
            }
            let _ = writeln!(out, "<script>{D3}</script>\n<script>{PLOT}</script>");
        }
        let _ = writeln!(out, "<script>\n\"use strict\";\n(() => {{\n{SCRIPT}");
        for script in &self.scripts {
            out.push_str(script);
        }
        out.push_str("})();\n</script>\n");
    }
}

/// A section with a heading, which is plain text.
pub fn section(out: &mut String, heading: &str, content: impl FnOnce(&mut String)) {
    let _ = writeln!(out, "<section>\n<h2>{}</h2>", escape(heading));
    content(out);
    let _ = writeln!(out, "</section>");
}

/// A list of facts: names and values as plain text.
pub fn facts(out: &mut String, facts: impl IntoIterator<Item = (impl AsRef<str>, String)>) {
    let _ = writeln!(out, "<dl class=\"facts\">");
    for (name, value) in facts {
        let _ = writeln!(out, "<div><dt>{}</dt><dd>{}</dd></div>", escape(name.as_ref()), escape(&value));
    }
    let _ = writeln!(out, "</dl>");
}

/// A table of which these columns are numbers; caption and columns are plain text, `rows` writes its rows as HTML.
pub fn table(
    out: &mut String,
    caption: &str,
    columns: &[&str],
    numbers: impl RangeBounds<usize>,
    rows: impl FnOnce(&mut String),
) {
    let caption = escape(caption);
    let _ = writeln!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\n<table>\n<caption>{caption}</caption>\n<thead><tr>"
    );
    for (index, column) in columns.iter().enumerate() {
        let class = if numbers.contains(&index) { " class=\"number\"" } else { "" };
        let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", escape(column));
    }
    let _ = writeln!(out, "</tr></thead>\n<tbody>");
    rows(out);
    let _ = writeln!(out, "</tbody>\n</table>\n</div>");
}

/// The place where a script puts a plot or a table, by its id; `without` says in plain text what is missing where scripts do not run.
pub fn slot(out: &mut String, id: &str, without: &str) {
    let _ = writeln!(
        out,
        "<div id=\"{}\"><noscript><p class=\"note\">{}</p></noscript></div>",
        escape(id),
        escape(without)
    );
}

/// A sentence as HTML: what stands in backticks is code.
pub fn prose(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        let Some((name, after)) = after.split_once('`') else { break };
        out += &escape(before);
        out += &code(name);
        rest = after;
    }
    out + &escape(rest)
}

/// Code as HTML, within a line.
pub fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_backticks_is_code() {
        assert_eq!(prose("the tag `a<b` and `c`"), "the tag <code>a&lt;b</code> and <code>c</code>");
        assert_eq!(prose("one ` alone & more"), "one ` alone &amp; more");
    }

    #[test]
    fn data_cannot_end_its_element() {
        let mut page = Page::new("a <b>");
        page.data("{\"name\": \"</script><script>alert(1)\"}");
        page.script("show(data);\n");
        let text = page.render();
        assert!(text.contains("<title>a &lt;b&gt;</title>"), "{text}");
        assert!(text.contains("\\u003c/script>\\u003cscript>alert(1)"), "{text}");
        assert_eq!(text.matches("</script>").count(), 2, "{text}");
    }

    #[test]
    fn a_page_fetches_nothing() {
        let mut page = Page::new("plots");
        page.plots();
        let text = page.render();
        assert!(text.contains("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"));
        assert!(!text.contains("src=\"http") && !text.contains("<link"), "nothing names another file");
        assert!(!Page::new("plain").render().contains("<script"), "a page without scripts has none");
    }
}
