//! Outlines: what the files of a folder show without parsing them completely: whether it may be a root module, which
//! folders it calls and which files it reads. For most folders of a repository that is enough.

use super::modules::is_of_root;
use crate::hcl::ast::walk;
use crate::hcl::ast::{Block, Body};
use crate::hcl::parse::parse_outline;
use crate::terraform::load::Parsed;
use crate::terraform::module::Module;
use crate::terraform::module::lead::Lead;
use crate::terraform::module::paths::{self, NamedPath};
use crate::text::Text;
use crate::value::FileId;
use std::collections::BTreeSet;

/// The outline of a file, independent of its folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FileOutline {
    /// The sources of its module calls; `None` for a source that is known only after evaluation.
    sources: Vec<Option<Text>>,
    /// Whether it has something that only a root module has.
    is_root: bool,
    /// Whether it says where a state is kept.
    has_backend: bool,
    /// The files that its expressions name.
    named: BTreeSet<NamedPath>,
    /// Whether an expression names a file in a way that is known only after evaluation.
    is_computed: bool,
    /// Whether it moves or removes resources of a state.
    has_moves: bool,
    /// Whether it declares a variable without a default.
    has_required: bool,
}

/// The outline of a folder.
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
    /// Whether an expression names a file in a way that is known only after evaluation.
    pub is_computed: bool,
    /// Whether it has something that only a root module has.
    pub is_root: bool,
    /// Whether it says where its state is kept: it is a root module, whoever else calls it.
    pub has_backend: bool,
    /// Whether it moves or removes resources of a state.
    pub has_moves: bool,
    /// Whether it declares a variable without a default.
    pub has_required: bool,
    /// Whether it has a file of its own, not one that other folders link to.
    pub has_own_file: bool,
}

/// Whether an expression with a word in it has to be read.
fn is_wanted(word: &str) -> bool {
    matches!(word, "source" | "default") || paths::is_word(word)
}

impl FileOutline {
    /// Returns the outline of a text in the native syntax; `None` if it has to be parsed completely.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        parse_outline(text, is_wanted).map(|body| Self::of_body(&body))
    }

    /// Returns the outline of a parsed file.
    pub(crate) fn of(parsed: &Parsed) -> Self {
        Self::of_body(&parsed.body)
    }

    fn of_body(body: &Body) -> Self {
        let mut named = paths::NamedPaths::default();
        paths::collect(body, FileId::new(0), &mut named, &mut BTreeSet::new());
        FileOutline {
            sources: body.blocks_of("module").flat_map(sources).collect(),
            is_root: body.blocks.iter().any(is_of_root),
            has_backend: body.blocks_of("terraform").flat_map(|block| &block.body.blocks).any(is_backend),
            named: named.named,
            is_computed: !named.computed.is_empty(),
            has_moves: body.blocks.iter().any(is_move),
            has_required: body.blocks_of("variable").any(|variable| variable.body.get("default").is_none()),
        }
    }
}

/// Whether a block says where a state is kept.
fn is_backend(block: &Block) -> bool {
    matches!(&*block.kind.text, "backend" | "cloud")
}

/// Whether a block moves or removes resources of a state.
fn is_move(block: &Block) -> bool {
    matches!(&*block.kind.text, "moved" | "removed")
}

/// Returns the sources in a module call, including those without effect.
fn sources(call: &Block) -> Vec<Option<Text>> {
    let escaped = call.body.blocks_of("_").flat_map(|block| &block.body.attributes);
    let all = call.body.attributes.iter().chain(escaped).filter(|a| &*a.name.text == "source");
    all.map(|a| walk::constant_text(&a.expr).map(Text::from)).collect()
}

impl Outline {
    /// Combines the outlines of the files of a folder without override files.
    pub(crate) fn of_files<'f>(dir: &str, files: impl Iterator<Item = (&'f str, bool, &'f FileOutline)>) -> Self {
        let mut all = Outline { dir: dir.into(), ..Outline::default() };
        for (path, is_own, file) in files {
            all.files.push(path.into());
            all.leads.extend(file.sources.iter().map(|source| Lead::of_text(dir, source.as_deref())));
            all.named.extend(file.named.iter().cloned());
            all.is_computed |= file.is_computed;
            all.is_root |= file.is_root;
            all.has_backend |= file.has_backend;
            all.has_moves |= file.has_moves;
            all.has_required |= file.has_required;
            all.has_own_file |= is_own;
        }
        all
    }

    /// Returns the outline of a folder that was parsed completely.
    pub(crate) fn of_module(module: &Module, path: impl Fn(FileId) -> Text) -> Self {
        Outline {
            dir: module.dir.as_str().into(),
            files: module.files.iter().map(|file| path(*file)).collect(),
            leads: module.leads.clone(),
            named: module.paths.named.clone(),
            is_computed: !module.paths.computed.is_empty(),
            is_root: module.is_root,
            has_backend: module.backend.is_some() || module.cloud.is_some(),
            has_moves: module.refactorings.iter().any(|block| &*block.kind != "import"),
            has_required: module.declarations.values().any(|variable| !variable.arguments.contains_key("default")),
            has_own_file: module.has_own_file,
        }
    }
}
