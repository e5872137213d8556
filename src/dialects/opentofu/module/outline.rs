//! What the files of a folder tell without being read as a whole: whether it may be a root module, which folders it calls and
//! which files it reads. Most folders of a repository are asked for no more.

use super::modules::is_of_root;
use crate::dialects::opentofu::load::Parsed;
use crate::dialects::opentofu::module::Module;
use crate::dialects::opentofu::module::lead::Lead;
use crate::dialects::opentofu::module::paths::{self, NamedPath};
use crate::hcl::ast::walk;
use crate::hcl::ast::{Block, Body};
use crate::hcl::parse::parse_outline;
use crate::text::Text;
use crate::value::FileId;
use std::collections::BTreeSet;

/// What a file tells, whatever folder it is in.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FileOutline {
    /// The sources of its calls of modules; none for a source that only evaluation tells.
    sources: Vec<Option<Text>>,
    /// Whether it has something that only a root module has.
    is_root: bool,
    /// The files that its expressions name.
    named: BTreeSet<NamedPath>,
    /// Whether an expression names a file in a way that only evaluation tells.
    is_computed: bool,
}

/// What a folder tells.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// The folder, from the root of the repository, links followed.
    pub dir: Text,
    /// The paths of its files, links followed, in the order of their names.
    pub files: Vec<Text>,
    /// Where its calls of modules lead.
    pub leads: Vec<Lead>,
    /// The files that its expressions name.
    pub named: BTreeSet<NamedPath>,
    /// Whether an expression names a file in a way that only evaluation tells.
    pub is_computed: bool,
    /// Whether it has something that only a root module has.
    pub is_root: bool,
    /// Whether it has a file of its own, not one that other folders link to.
    pub has_own_file: bool,
}

/// Whether an expression with a word in it has to be read.
fn is_wanted(word: &str) -> bool {
    matches!(word, "source" | "required_version") || paths::is_word(word)
}

impl FileOutline {
    /// What a text in the native syntax tells; `None` if only reading all of it does.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        parse_outline(text, is_wanted).map(|body| Self::of_body(&body))
    }

    /// What a file tells that is parsed.
    pub(crate) fn of(parsed: &Parsed) -> Self {
        Self::of_body(&parsed.body)
    }

    fn of_body(body: &Body) -> Self {
        let mut named = paths::NamedPaths::default();
        paths::collect(body, FileId::new(0), &mut named, &mut BTreeSet::new());
        FileOutline {
            sources: body.blocks_of("module").flat_map(sources).collect(),
            is_root: body.blocks.iter().any(is_of_root),
            named: named.named,
            is_computed: !named.computed.is_empty(),
        }
    }
}

/// The sources that a call of a module gives, those included that have no effect.
fn sources(call: &Block) -> Vec<Option<Text>> {
    let escaped = call.body.blocks_of("_").flat_map(|block| &block.body.attributes);
    let all = call.body.attributes.iter().chain(escaped).filter(|a| &*a.name.text == "source");
    all.map(|a| walk::constant_text(&a.expr).map(Text::from)).collect()
}

impl Outline {
    /// What the files of a folder tell together, of which none overrides others.
    pub(crate) fn of_files<'f>(dir: &str, files: impl Iterator<Item = (&'f str, bool, &'f FileOutline)>) -> Self {
        let mut all = Outline { dir: dir.into(), ..Outline::default() };
        for (path, is_own, file) in files {
            all.files.push(path.into());
            all.leads.extend(file.sources.iter().map(|source| Lead::of_text(dir, source.as_deref())));
            all.named.extend(file.named.iter().cloned());
            all.is_computed |= file.is_computed;
            all.is_root |= file.is_root;
            all.has_own_file |= is_own;
        }
        all
    }

    /// What a folder tells that was read as a whole.
    pub(crate) fn of_module(module: &Module, path: impl Fn(FileId) -> Text) -> Self {
        Outline {
            dir: module.dir.as_str().into(),
            files: module.files.iter().map(|file| path(*file)).collect(),
            leads: module.leads.clone(),
            named: module.paths.named.clone(),
            is_computed: !module.paths.computed.is_empty(),
            is_root: module.is_root,
            has_own_file: module.has_own_file,
        }
    }
}
