//! The files that templates read: with `include` and `import`, and with `lookup('file', ...)`. All are below one folder, the project's.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Rest;
use minijinja::{Environment, Error, State, Value};

use super::filters::wrong;
use super::placeholder::is_undeclared;
use tpv_text::open::open;
use tpv_text::source::read_limited;

/// The most bytes of a file that a template reads.
const LARGEST: u64 = 1 << 20;

/// The bytes of a file that are read in about the time of a step.
const BYTES_A_STEP: usize = 64;

/// The folders in which files are looked for, besides the present one, as Ansible does.
const FOLDERS: [&str; 3] = ["", "files", "templates"];

/// The project's folder, and the folder of the template that reads files.
#[derive(Clone, Debug)]
pub(super) struct Files {
    /// `None` if there is no project: no file is read then.
    root: Option<Arc<Path>>,
    folder: Arc<Path>,
    /// The files that were read.
    read: Arc<Mutex<BTreeSet<PathBuf>>>,
}

impl Files {
    pub(super) fn new(root: Option<&Path>, template: &str, read: Arc<Mutex<BTreeSet<PathBuf>>>) -> Self {
        let folder = Path::new(template).parent().unwrap_or(Path::new(""));
        Self { root: root.map(Arc::from), folder: Arc::from(folder), read }
    }

    /// The text of a file, by a path as templates give it.
    ///
    /// # Errors
    /// There is no project, or no such file in it that may be read.
    pub(super) fn read(&self, name: &str) -> Result<String, Error> {
        let root = self.root.as_deref().ok_or_else(|| {
            wrong(format!("`{name}` is not read: templates read files only below the folder of a `tpvc.toml`"))
        })?;
        let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        let real = root.canonicalize().map_err(|error| wrong(error.to_string()))?;
        // The folder of the template comes first, then those above it up to the project's, as those of playbooks may be.
        let mut starts: Vec<PathBuf> = Vec::new();
        let mut folder = std::path::absolute(&self.folder).unwrap_or_default();
        while folder.canonicalize().is_ok_and(|folder| folder.starts_with(&real)) {
            starts.push(folder.clone());
            if !folder.pop() {
                break;
            }
        }
        starts.push(root.to_owned());
        let candidates =
            starts.iter().flat_map(|start| FOLDERS.iter().map(move |folder| start.join(folder).join(name)));
        let found =
            candidates.filter(|path| path.is_file()).find_map(|path| path.canonicalize().ok().map(|real| (path, real)));
        let Some((named, path)) = found else {
            return Err(wrong(format!("there is no file `{name}` in the project")));
        };
        let Ok(inside) = path.strip_prefix(&real) else {
            return Err(wrong(format!("`{name}` is outside of the project, whose folder is that of `tpvc.toml`")));
        };
        // Git and CI keep credentials in such files.
        let is_hidden = |part: Component| part.as_os_str().to_string_lossy().starts_with('.');
        if inside.components().any(is_hidden) {
            return Err(wrong(format!("`{name}` is a hidden file or in a hidden folder, which templates do not read")));
        }
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(named);
        let read = open(&path).and_then(|file| read_limited(file, LARGEST));
        match read.map_err(|error| wrong(format!("`{name}` cannot be read: {error}")))? {
            None => Err(wrong(format!("`{name}` is larger than {} MiB", LARGEST >> 20))),
            Some(bytes) => String::from_utf8(bytes).map_err(|_| wrong(format!("`{name}` is not UTF-8 text"))),
        }
    }
}

/// Adds `lookup`, which reads files of the project, but no variable of the environment: `env` gives a variable of the site or its placeholder.
pub(super) fn add(environment: &mut Environment<'static>, files: &Files) {
    let files = files.clone();
    environment.add_function("lookup", move |state: &State, kind: &str, terms: Rest<Value>| {
        let mut found = Vec::new();
        for term in terms.iter().filter(|term| !term.is_kwargs()) {
            let name = term.as_str().ok_or_else(|| wrong("`lookup` takes texts"))?;
            found.push(match kind.strip_prefix("ansible.builtin.").unwrap_or(kind) {
                "file" => {
                    let text = files.read(name)?;
                    state.consume_fuel((text.len() / BYTES_A_STEP) as u64)?;
                    Value::from(text.trim_end())
                }
                "env" | "vars" => state.lookup(name).filter(|value| !is_undeclared(value)).ok_or_else(|| {
                    wrong(format!(
                        "`{name}` is not known: tpvc does not read the environment for templates; give it under `[variables]` in tpvc.toml, or add it to `placeholders`"
                    ))
                })?,
                other => return Err(wrong(format!("tpvc does not have the lookup `{other}`, only `file`, `env` and `vars`"))),
            });
        }
        match <[Value; 1]>::try_from(found) {
            Ok([only]) => Ok(only),
            Err(all) => Ok(Value::from(all.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))),
        }
    });
}

/// The names that a template includes, imports or looks up as texts: of files, and of variables for `lookup('env', ...)`.
#[derive(Default)]
pub(super) struct Named {
    pub(super) templates: Vec<String>,
    pub(super) variables: Vec<String>,
    /// A tag of inheritance, `block` or `extends`, and its place. Blocks can call themselves, which the engine does not bound.
    pub(super) inheritance: Option<(&'static str, Range<usize>)>,
}

/// Finds [`Named`] in the text of a template.
pub(super) fn named(template: &str, syntax: &SyntaxConfig) -> Named {
    use minijinja::machinery::{Token, tokenize};
    let mut named = Named::default();
    let mut last: [Option<String>; 4] = [None, None, None, None];
    let mut is_block_start = false;
    for token in tokenize(template, false, syntax.clone()) {
        let Ok((token, span)) = token else { break };
        if let (Token::Ident(name @ ("block" | "extends")), Some(None)) = (&token, last.last())
            && is_block_start
        {
            let place = |offset: u32| usize::try_from(offset).unwrap_or(usize::MAX);
            let name = if *name == "block" { "block" } else { "extends" };
            named.inheritance.get_or_insert((name, place(span.start_offset)..place(span.end_offset)));
        }
        let word = match &token {
            Token::Ident(name) => Some((*name).to_owned()),
            Token::Str(text) => Some((*text).to_owned()),
            Token::String(text) => Some(text.to_string()),
            Token::ParenOpen => Some("(".to_owned()),
            Token::Comma => Some(",".to_owned()),
            _ => None,
        };
        if let (Token::Str(_) | Token::String(_), Some(text)) = (&token, &word) {
            let [a, b, c, d] = last.each_ref().map(Option::as_deref);
            if is_block_start && matches!(d, Some("include" | "import" | "from" | "extends")) {
                named.templates.push(text.clone());
            }
            let is_lookup = a == Some("lookup") && b == Some("(") && d == Some(",");
            if is_lookup && matches!(c, Some("env" | "vars" | "ansible.builtin.env" | "ansible.builtin.vars")) {
                named.variables.push(text.clone());
            }
        }
        is_block_start = matches!(token, Token::BlockStart) || is_block_start && !matches!(token, Token::BlockEnd);
        last.rotate_left(1);
        if let Some(newest) = last.last_mut() {
            *newest = word;
        }
    }
    named
}
