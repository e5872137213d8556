//! The files that the path of a function means, as far as its beginning is known.

use crate::hcl::ast::{Expr, ExprKind};
use crate::hcl::ast::{Part, walk};
use crate::terraform::evaluation::statics::{Identifier, Statics};
use crate::terraform::module::block::Written;
use crate::terraform::module::paths::{Pattern, inside};
use crate::value::FileId;
use std::sync::Arc;

/// What an expression of a path means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NamedFiles {
    /// These files, from the root of the repository.
    In(Pattern),
    /// Nothing in the repository.
    Outside,
    /// Not even its beginning is known.
    Any,
}

impl Statics<'_> {
    /// The files that an expression of a path in a module means.
    pub(crate) fn named_files(&self, node: usize, written: &Written) -> NamedFiles {
        let Some((text, after)) = self.beginning(node, written.file, &written.expr) else { return NamedFiles::Any };
        let root = &*self.nodes[0].module.dir;
        let found = match (text.strip_prefix(&*self.files.loader().root), &after) {
            (Some(rest), _) if rest.starts_with('/') || rest.is_empty() && after.is_none() => {
                inside("", rest, after.as_deref())
            }
            _ if text.starts_with('/') => None,
            (_, None) => self.files.inside(&text).ok().and_then(|path| inside("", &path, None)),
            // Of what is copied into the folder it may be another file.
            (_, Some(_)) if self.files.is_copied() => return NamedFiles::Any,
            (_, Some(_)) => inside(root, &text, after.as_deref()),
        };
        found.map_or(NamedFiles::Outside, NamedFiles::In)
    }

    /// How a text begins, and how it ends if a part in between is not known; `None` if nothing is known of its beginning.
    fn beginning(&self, node: usize, file: FileId, expr: &Expr) -> Option<(String, Option<String>)> {
        if let Some(text) = self.known_text(node, file, expr) {
            return Some((text, None));
        }
        let ExprKind::Template(parts) = &walk::unwrapped(expr).kind else { return None };
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Text(known) => text.push_str(known),
                Part::Value(value) => match self.known_text(node, file, value) {
                    Some(known) => text.push_str(&known),
                    None => break,
                },
                _ => break,
            }
        }
        let after = match parts.last() {
            Some(Part::Text(end)) => end.to_string(),
            _ => String::new(),
        };
        (!text.is_empty()).then_some((text, Some(after)))
    }

    fn known_text(&self, node: usize, file: FileId, expr: &Expr) -> Option<String> {
        let written = Written { file, span: expr.span, expr: Arc::new(expr.clone()) };
        let value = self.value(node, &written, Identifier { text: "path".to_owned(), place: (file, expr.span) });
        value.ok()?.as_str().map(ToString::to_string)
    }
}
