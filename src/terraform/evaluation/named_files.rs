//! The files that the path of a function means, as far as its beginning is known.

use crate::hcl::ast::{Expr, ExprKind};
use crate::hcl::ast::{Part, walk};
use crate::hcl::val::Marks;
use crate::terraform::evaluation::statics::{Identifier, Statics};
use crate::terraform::module::block::Written;
use crate::terraform::module::paths::{Pattern, inside};
use crate::value::FileId;
use std::sync::Arc;

/// How many names in a row are followed to the beginning of a path.
const MAX_NAMED: usize = 20;

/// What an expression of a path means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NamedFiles {
    /// These files, from the root of the repository.
    In {
        pattern: Pattern,
        /// Whether the path is a sensitive value.
        is_sensitive: bool,
    },
    /// Nothing in the repository.
    Outside,
    /// Not even its beginning is known.
    Any,
}

impl Statics<'_> {
    /// The files that an expression of a path in a module means.
    pub(crate) fn named_files(&self, node: usize, written: &Written) -> NamedFiles {
        let whole = self.known_text(node, written.file, &written.expr);
        let is_sensitive = whole.as_ref().is_some_and(|(_, is_sensitive)| *is_sensitive);
        let whole = whole.map(|(text, _)| (text, None));
        let begun = || self.beginning(node, written.file, &written.expr).map(|(text, after)| (text, Some(after)));
        let Some((text, after)) = whole.or_else(begun) else {
            let is_at_home = self.is_at_home(node, written, MAX_NAMED);
            return if is_at_home { NamedFiles::Outside } else { NamedFiles::Any };
        };
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
        found.map_or(NamedFiles::Outside, |pattern| NamedFiles::In { pattern, is_sensitive })
    }

    /// How a text begins and ends of which a part in between is not known, or sensitive; `None` if nothing is known of its beginning.
    fn beginning(&self, node: usize, file: FileId, expr: &Expr) -> Option<(String, String)> {
        let ExprKind::Template(parts) = &walk::unwrapped(expr).kind else { return None };
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Text(known) => text.push_str(known),
                Part::Value(value) => match self.known_text(node, file, value) {
                    Some((known, false)) => text.push_str(&known),
                    _ => break,
                },
                _ => break,
            }
        }
        let after = match parts.last() {
            Some(Part::Text(end)) => end.to_string(),
            _ => String::new(),
        };
        (!text.is_empty()).then_some((text, after))
    }

    /// The text that an expression gives, and whether it is sensitive.
    pub(super) fn known_text(&self, node: usize, file: FileId, expr: &Expr) -> Option<(String, bool)> {
        let written = Written { file, span: expr.span, expr: Arc::new(expr.clone()) };
        let value = self.value(node, &written, Identifier { text: "path".to_owned(), place: (file, expr.span) });
        let value = value.ok()?;
        Some((value.as_str()?.to_string(), value.marks.has(Marks::SENSITIVE)))
    }
}
