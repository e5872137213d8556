//! Templates that were parsed a moment ago, by the place of their text in memory: components share the strings of what they
//! inherit, and finding one by its place costs less than by its content.

use crate::template::{self, Template};
use crate::text::Text;
use std::cell::RefCell;
use std::sync::Arc;

/// How many each thread knows.
const KEPT: usize = 1024;

/// A template, or why it is none.
pub(in crate::dialects::atmos) type Parsed = Arc<Result<Template, template::Error>>;

/// The way of rendering ([`super::engine::Engine::slot`]) and how far the text is indented: with the text they say all.
type Way = (usize, usize);

/// A text, which stays where it is as long as it is kept, and its template.
type Known = (Text, Way, Parsed);

thread_local!(static KNOWN: RefCell<Vec<Option<Known>>> = RefCell::new(vec![None; KEPT]));

/// The template of a text: the one of before, or what `parse` makes.
pub(in crate::dialects::atmos) fn once(text: &Text, way: Way, parse: impl FnOnce() -> Parsed) -> Parsed {
    // The lowest bits of where something lies are all the same. A text that is read in several ways gets as many places.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::{Builtins, Options, parse};
    use std::sync::Arc;

    #[test]
    fn a_text_is_known_in_each_of_its_ways() {
        let made = std::cell::Cell::new(0);
        let template = |text: &Text, way| {
            once(text, way, || {
                made.set(made.get() + 1);
                Arc::new(parse(text, &Options { left: "", right: "", functions: &Builtins }))
            })
        };
        let (one, twin) = (Text::from("{{ .a }}"), Text::from("{{ .a }}"));
        let first = template(&one, (0, 2));
        assert!(Arc::ptr_eq(&first, &template(&one, (0, 2))));
        for (text, way) in [(&one, (1, 2)), (&one, (0, 4)), (&twin, (0, 2))] {
            let before = made.get();
            assert!(!Arc::ptr_eq(&first, &template(text, way)));
            assert_eq!(made.get(), before + 1);
        }
        // However many there are, each gets its own.
        let texts: Vec<Text> = (0..3 * KEPT).map(|n| Text::from(format!("{{{{ .a{n} }}}}"))).collect();
        for text in texts.iter().chain(&texts) {
            assert_eq!(template(text, (0, 2)).as_ref().as_ref().map(|t| t.text().to_owned()), Ok(text.to_string()));
        }
    }
}
