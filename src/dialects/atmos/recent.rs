//! Templates that were parsed a moment ago, by the place of their text in memory: components share the strings of what they
//! inherit, and finding one by its place costs less than by its content.

use super::render::Parsed;
use crate::text::Text;
use std::cell::RefCell;

/// How many each thread knows.
const KEPT: usize = 1024;

/// The way of rendering ([`super::render::Engine::slot`]) and how far the text is indented: with the text they say all.
type Way = (usize, usize);

/// A text, which stays where it is as long as it is kept, and its template.
type Known = (Text, Way, Parsed);

thread_local!(static KNOWN: RefCell<Vec<Option<Known>>> = RefCell::new(vec![None; KEPT]));

/// The template of a text: the one of before, or what `parse` makes.
pub(super) fn once(text: &Text, way: Way, parse: impl FnOnce() -> Parsed) -> Parsed {
    // Texts lie at even places, mostly, and each of its ways has another one.
    let place = ((text.as_ptr().addr() >> 4) ^ (way.0 * 31 + way.1 * 7)) % KEPT;
    let known = KNOWN.with_borrow(|known| match &known[place] {
        Some((t, w, parsed)) if Text::ptr_eq(t, text) && *w == way => Some(Parsed::clone(parsed)),
        _ => None,
    });
    known.unwrap_or_else(|| {
        let parsed = parse();
        let replaced =
            KNOWN.with_borrow_mut(|known| known[place].replace((Text::clone(text), way, Parsed::clone(&parsed))));
        // Taken apart when nobody holds the table.
        drop(replaced);
        parsed
    })
}
