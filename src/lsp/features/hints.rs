//! The values behind templates, at the end of the text: `= "net dev"`.

use crate::diff::{inline, mask};
use crate::lsp::position::Lines;
use crate::lsp::view::Cursor;
use crate::syntax::Language;
use crate::text::Text;
use crate::value::{Data, FileId, Flags, Value};
use ls_types::{InlayHint, InlayHintKind, InlayHintLabel};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The maximum number of hints of an answer.
const MOST: usize = 300;
/// The maximum number of values that a hint lists, and of characters of one.
const MOST_VALUES: usize = 2;
const MOST_CHARACTERS: usize = 60;
/// How deep values are searched.
const MAX_DEPTH: usize = 64;

/// The rendered values of the templates that end between a place and a byte offset, in all stacks.
pub(super) fn hints(place: &Cursor<'_>, end: usize) -> Vec<InlayHint> {
    let authoring = place.view.authoring(place.path);
    let opens = authoring.iter().flat_map(|authoring| authoring.templates()).map(|notation| notation.open).collect();
    let is_code = Language::of(place.path) == Language::Hcl;
    let mut search = Search { text: place.text, opens, is_code, range: place.offset..end, found: BTreeMap::new() };
    for resolution in place.view.resolutions() {
        let ids = place.view.ids(resolution, place.path);
        for unit in resolution.units.iter().filter(|unit| ids.iter().any(|id| unit.files.binary_search(id).is_ok())) {
            for component in &unit.components {
                search.value(&ids, &component.value, &mut String::new(), MAX_DEPTH);
            }
        }
    }
    let lines = Lines::new(place.text, place.view.encoding);
    let hint = |(end, values): (u32, BTreeSet<Text>)| InlayHint {
        position: lines.position(end),
        label: InlayHintLabel::String(label(&values)),
        kind: Some(InlayHintKind::TYPE),
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: None,
        data: None,
    };
    search.found.into_iter().take(MOST).map(hint).collect()
}

fn label(values: &BTreeSet<Text>) -> String {
    let shown: Vec<&str> = values.iter().take(MOST_VALUES).map(|value| &**value).collect();
    let more = values.len() - shown.len();
    match more {
        0 => format!("= {}", shown.join(", ")),
        more => format!("= {} and {more} more", shown.join(", ")),
    }
}

struct Search<'a> {
    text: &'a str,
    /// What opens templates.
    opens: Vec<&'static str>,
    /// Whether the file holds expressions, so that a value needs no template to be computed.
    is_code: bool,
    range: Range<usize>,
    /// The results of templates, by the byte offset of their end.
    found: BTreeMap<u32, BTreeSet<Text>>,
}

impl Search<'_> {
    /// Searches a value at a JSON Pointer.
    fn value(&mut self, ids: &BTreeSet<FileId>, value: &Value, pointer: &mut String, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match &value.data {
            Data::Map(map) => {
                for entry in map.iter() {
                    let length = pointer.len();
                    pointer.push('/');
                    pointer.push_str(&entry.key);
                    self.value(ids, &entry.value, pointer, depth);
                    pointer.truncate(length);
                }
            }
            Data::List(items) => items.iter().for_each(|item| self.value(ids, item, pointer, depth)),
            Data::Unknown(_) => {}
            _ if !value.holds(Flags::TEMPLATE) => self.scalar(ids, value, pointer),
            _ => {}
        }
    }

    fn scalar(&mut self, ids: &BTreeSet<FileId>, value: &Value, pointer: &str) {
        // A computed value has inputs.
        let Some(origin) = value.prov.origin.filter(|_| value.prov.trail.is_some()) else { return };
        let (start, end) = (origin.start as usize, origin.end as usize);
        if !self.range.contains(&start) || !ids.contains(&origin.file) {
            return;
        }
        let is_constant = |text: &str| text.starts_with('"') && !text.contains(['$', '%']);
        let is_computed =
            |text: &str| self.is_code && !is_constant(text) || self.opens.iter().any(|open| text.contains(open));
        let is_template = self.text.get(start..end).is_some_and(|text| is_computed(text) && !text.contains('\n'));
        if is_template {
            let shown = inline::scalar(value, mask::is_secret_pointer(pointer), false);
            let shown: String = match shown.char_indices().nth(MOST_CHARACTERS) {
                Some((end, _)) => format!("{}…", &shown[..end]),
                None => shown,
            };
            self.found.entry(origin.end).or_default().insert(shown.into());
        }
    }
}
