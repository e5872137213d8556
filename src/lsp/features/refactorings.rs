//! Refactorings: what can be done at a place is listed without resolving anything, and proved once it is chosen.

use super::{Context, navigation, rename};
use crate::lsp::position::{Encoding, Lines};
use crate::lsp::view::Cursor;
use crate::refactor::{self, Named, Refactoring, Texts};
use ls_types::request::{CodeActionResolveRequest, Rename, Request as _};
use ls_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionOrCommand, CodeActionTriggerKind, RenameParams, TextEdit,
    Uri, WorkspaceEdit,
};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use similar::{DiffOp, TextDiff};
use std::collections::HashMap;
use std::path::Path;

/// The requests whose answers are edits that are proved first.
pub(in crate::lsp) const METHODS: [&str; 2] = [CodeActionResolveRequest::METHOD, Rename::METHOD];

/// What an action says about itself.
#[derive(Serialize, Deserialize)]
struct ActionData {
    /// The file that it was offered for.
    uri: Uri,
    refactoring: Refactoring,
}

/// A refactoring that was chosen.
pub(in crate::lsp) struct Chosen {
    pub(in crate::lsp) refactoring: Refactoring,
    /// The action that stands for it; `None` if a name was typed.
    action: Option<Box<CodeAction>>,
}

/// Returns the refactorings of what is at a place, if the user asks for such actions and the client completes them later.
pub(super) fn offered(place: &Cursor<'_>, context: &CodeActionContext) -> Vec<CodeActionOrCommand> {
    let is_refactoring = |kind: &CodeActionKind| kind.as_str().is_empty() || kind.as_str().starts_with("refactor");
    let is_wanted = context.only.as_ref().is_none_or(|kinds| kinds.iter().any(is_refactoring));
    let is_asked = context.trigger_kind != Some(CodeActionTriggerKind::AUTOMATIC);
    let Some(uri) = place.view.uri(place.path).filter(|_| is_wanted && is_asked && place.view.resolves_actions) else {
        return Vec::new();
    };
    let resolutions = place.view.projects_of(place.path).into_iter();
    let files = &place.view.analysis.review.files;
    let offers = resolutions.flat_map(|resolution| refactor::offers(place.path, place.offset, resolution, files));
    let action = |(title, refactoring): (String, Refactoring)| {
        let kind = match refactoring {
            Refactoring::Inline { .. } => CodeActionKind::REFACTOR_INLINE,
            Refactoring::Hoist(_) => CodeActionKind::REFACTOR_EXTRACT,
            Refactoring::Prune { .. } | Refactoring::Rename { .. } => CodeActionKind::REFACTOR_REWRITE,
        };
        let data = serde_json::to_value(ActionData { uri: uri.clone(), refactoring }).ok();
        CodeActionOrCommand::CodeAction(CodeAction { title, kind: Some(kind), data, ..CodeAction::default() })
    };
    offers.map(action).collect()
}

/// Returns what a request chooses; `None` if the file is not analyzed.
///
/// # Errors
/// The parameters are not those of the method, or nothing at the place can get another name.
pub(in crate::lsp) fn chosen(method: &str, params: Json, context: &Context<'_>) -> Result<Option<Chosen>, String> {
    if method == CodeActionResolveRequest::METHOD {
        let action: CodeAction = serde_json::from_value(params).map_err(|e| e.to_string())?;
        let data = action.data.clone().ok_or("the action has no data")?;
        let ActionData { refactoring, .. } = serde_json::from_value(data).map_err(|e| e.to_string())?;
        return Ok(Some(Chosen { refactoring, action: Some(Box::new(action)) }));
    }
    let RenameParams { text_document_position: at, new_name, .. } =
        serde_json::from_value(params).map_err(|e| e.to_string())?;
    let named = |place: &Cursor<'_>| Some(renamed(place, new_name));
    let refactoring = context.at(&at.text_document.uri, at.position, named).transpose()?;
    Ok(refactoring.map(|refactoring| Chosen { refactoring, action: None }))
}

/// What gets a new name at a place.
fn renamed(place: &Cursor<'_>, new: String) -> Result<Refactoring, String> {
    if let Some((_, name)) = navigation::local_at(place) {
        let (what, old) = (Named::Local(Some(place.path.to_owned())), name.to_owned());
        return Ok(Refactoring::Rename { what, old, new });
    }
    let (range, what) = rename::named(place).ok_or("only components, stacks and locals can be renamed")?;
    Ok(Refactoring::Rename { what, old: place.text[range].to_owned(), new })
}

impl Chosen {
    /// The answer to the request, given the texts that change below the root of the worktree.
    pub(in crate::lsp) fn answer(self, texts: &Texts, root: &Path, encoding: Encoding) -> Json {
        let of = |(path, [old, new]): (&String, &[String; 2])| {
            Some((Uri::from_file_path(root.join(path))?, edits(old, new, encoding)))
        };
        let changes: HashMap<Uri, Vec<TextEdit>> = texts.iter().filter_map(of).collect();
        let edit = WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
        let answer = match self.action {
            Some(action) => serde_json::to_value(CodeAction { edit: Some(edit), ..*action }),
            None => serde_json::to_value(edit),
        };
        answer.unwrap_or_default()
    }
}

/// The edits that make one text of another one. Lines that are replaced one by one are edited where they differ.
fn edits(old: &str, new: &str, encoding: Encoding) -> Vec<TextEdit> {
    let lines = Lines::new(old, encoding);
    let starts = |text: &str| -> Vec<usize> {
        let ends = text.split_inclusive('\n').scan(0, |at, line| {
            *at += line.len();
            Some(*at)
        });
        std::iter::once(0).chain(ends).collect()
    };
    let [before, after] = [old, new].map(starts);
    let diff = TextDiff::from_lines(old, new);
    let mut found = Vec::new();
    let mut edit = |from: [usize; 2], to: [usize; 2]| {
        let (text, with) = (&old[from[0]..from[1]], &new[to[0]..to[1]]);
        let common = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
            pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
        };
        let head = common(&mut text.chars().zip(with.chars()));
        let tail = common(&mut text[head..].chars().rev().zip(with[head..].chars().rev()));
        let range = lines.range((from[0] + head) as u32, (from[1] - tail) as u32);
        found.push(TextEdit { range, new_text: with[head..with.len() - tail].to_owned() });
    };
    for op in diff.ops().iter().filter(|op| !matches!(op, DiffOp::Equal { .. })) {
        let (from, to) = (op.old_range(), op.new_range());
        match from.len() == to.len() {
            true => from.zip(to).for_each(|(a, b)| edit([before[a], before[a + 1]], [after[b], after[b + 1]])),
            false => edit([before[from.start], before[from.end]], [after[to.start], after[to.end]]),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_touch_only_what_differs() {
        let (old, new) = ("a: 1\nb: é 2\nc: 3\n", "a: 1\nb: é 4\nc: 3\nd: 5\n");
        let found = edits(old, new, Encoding::Utf16);
        let shown: Vec<_> =
            found.iter().map(|one| (one.range.start.line, one.range.start.character, &*one.new_text)).collect();
        assert_eq!(shown, [(1, 5, "4"), (3, 0, "d: 5\n")]);
    }
}
