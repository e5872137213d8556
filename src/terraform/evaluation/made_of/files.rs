//! The files that functions in an expression read.

use crate::hcl::ast::{Expr, ExprKind, Span, walk};
use crate::hcl::parse::parse_template;
use crate::terraform::evaluation::made_of::{Collector, Meanings, place};
use crate::terraform::evaluation::named_files::NamedFiles;
use crate::terraform::evaluation::statics::ReadFiles;
use crate::terraform::is_code;
use crate::terraform::module::block::Written;
use crate::terraform::module::paths::{self, Base, NamedPath, Of, Pattern};
use crate::text::Text;
use crate::value::{FileId, Read};
use std::rc::Rc;
use std::sync::Arc;

/// How many files that an expression reads are named as its places.
const MAX_PLACES: usize = 20;

impl<M: Meanings> Collector<'_, M> {
    /// The files that the functions in an expression read, and those in the templates that it names.
    pub(super) fn files_of(&mut self, at: &M::At, file: FileId, expr: &Expr) {
        for (path, is_template) in self.read_by(at, file, expr) {
            if is_template {
                self.template(at, file, &path);
            }
        }
    }

    /// Follows the files that the functions in an expression read. Returns their paths, and whether each is a template.
    fn read_by(&mut self, at: &M::At, file: FileId, expr: &Expr) -> Vec<(Expr, bool)> {
        let mut arguments = Vec::new();
        walk::visit(expr, &mut |inner| {
            if let ExprKind::Call(call) = &inner.kind
                && let Some(path) = paths::argument(call)
            {
                arguments.push((path.clone(), call.name.text.ends_with("templatefile")));
            }
        });
        arguments.iter().for_each(|(path, _)| self.file(at, file, path.clone()));
        arguments
    }

    /// The files that the functions in a template read.
    fn template(&mut self, at: &M::At, file: FileId, path: &Expr) {
        let written = Written { file, span: path.span, expr: Arc::new(path.clone()) };
        let NamedFiles::In { pattern: Pattern::Path(path), .. } = self.meanings.named_files(at, &written) else {
            return;
        };
        let loader = self.meanings.statics().files.loader();
        let Some(template) = loader.add(&path) else { return };
        // In a template `templatefile` cannot be called.
        if let Ok(expr) = parse_template(&loader.reader.files.get(template).text) {
            self.read_by(at, template, &expr);
        }
    }

    /// The file that a function reads, by the expression of its path.
    fn file(&mut self, at: &M::At, file: FileId, path: Expr) {
        let module = self.module(at);
        let statics = self.meanings.statics();
        let root = statics.nodes[0].module.dir.clone();
        let span = path.span;
        let written = Written { file, span, expr: Arc::new(path) };
        match self.meanings.named_files(at, &written) {
            NamedFiles::In { pattern: Pattern::Path(path), is_sensitive } => {
                let mut found = self.files(statics.files.loader().reader.made_of(&path));
                if is_sensitive {
                    let written = statics.source_text(&written);
                    found.reads.iter_mut().for_each(|read| read.name = Text::clone(&written));
                }
                return self.add(&found);
            }
            NamedFiles::In { pattern, .. } => {
                let found = self.matching((pattern, Of::All));
                return self.add(&found);
            }
            NamedFiles::Outside => return,
            NamedFiles::Any => {}
        }
        // Any file beside the code may be meant if not even the beginning of the path is known.
        let anywhere = || [Base::Root, Base::Module].map(|base| NamedPath { base, before: String::new(), after: None });
        let (named, of) = match paths::of_argument(&written.expr) {
            Some(named) => (named, Of::All),
            None => (anywhere().into_iter().collect(), Of::Data),
        };
        for pattern in named.iter().filter_map(|named| named.resolve(&root, &module.dir)) {
            let found = self.matching((pattern, of));
            self.add(&found);
        }
    }

    /// The files that a path may mean that is not known. Many expressions name the same ones, and a repository may have many files.
    fn matching(&self, meant: (Pattern, Of)) -> Rc<ReadFiles> {
        if let Some(known) = self.meanings.statics().matching.borrow().get(&meant) {
            return Rc::clone(known);
        }
        let (pattern, of) = &meant;
        let name = match pattern {
            Pattern::Path(path) => path.clone(),
            Pattern::Between(before, after) => format!("{before}*{after}"),
        };
        let reader = &self.meanings.statics().files.loader().reader;
        let is_meant = |path: &str| pattern.matches(path) && (*of == Of::All || !is_code(path));
        let found = Rc::new(self.files(reader.made_of_matching(&name, &is_meant)));
        self.meanings.statics().matching.borrow_mut().insert(meant, Rc::clone(&found));
        found
    }

    /// Files, with the whole of each as a place.
    fn files(&self, reads: Vec<Read>) -> ReadFiles {
        let loader = self.meanings.statics().files.loader();
        let files = reads.iter().take(MAX_PLACES).filter_map(|read| loader.add(&read.name));
        let files = files.inspect(|file| self.meanings.statics().files.note(*file));
        let whole = |file| Span { start: 0, end: loader.reader.files.get(file).text.len() as u32 };
        let places = files.map(|file| place((file, whole(file)))).collect();
        ReadFiles { reads, places }
    }

    fn add(&mut self, files: &ReadFiles) {
        self.places.extend(files.places.iter().cloned());
        self.reads.extend(files.reads.iter().cloned());
    }
}
