//! Templates that were parsed a moment ago, by the place of their text in memory: components share the strings of what they
//! inherit, and finding one by its place costs less than by its content.

use crate::template::{self, Template};
use crate::text::Text;
use std::cell::RefCell;
use std::sync::Arc;

/// The number of entries per thread.
const KEPT: usize = 1024;

/// A template, or its parse error.
pub(in crate::dialects::atmos) type Parsed = Arc<Result<Template, template::Error>>;

/// The kind of rendering ([`super::engine::Engine::slot`]) and the indentation of the text: with the text they identify
/// a template.
type Way = (usize, usize);

/// A text, whose address is valid as long as it is cached, and its template.
type Known = (Text, Way, Parsed);

thread_local!(static KNOWN: RefCell<Vec<Option<Known>>> = RefCell::new(vec![None; KEPT]));

/// The template of a text: the one of before, or what `parse` makes.
pub(in crate::dialects::atmos) fn once(text: &Text, way: Way, parse: impl FnOnce() -> Parsed) -> Parsed {
    // The lowest bits of addresses are all the same. A text that is parsed in several ways gets several slots.
    let place = ((text.as_ptr().addr() >> 4) ^ (way.0 * 31 + way.1 * 7)) % KEPT;
    let known = KNOWN.with_borrow(|known| match &known[place] {
        Some((t, w, parsed)) if Text::ptr_eq(t, text) && *w == way => Some(Parsed::clone(parsed)),
        _ => None,
    });
    known.unwrap_or_else(|| {
        let parsed = parse();
        let replaced =
            KNOWN.with_borrow_mut(|known| known[place].replace((Text::clone(text), way, Parsed::clone(&parsed))));
        // Dropped when the table is not borrowed.
        drop(replaced);
        parsed
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::{Builtins, TemplateOptions, parse};
    use std::sync::Arc;

    #[test]
    fn a_text_is_known_in_each_of_its_ways() {
        let made = std::cell::Cell::new(0);
        let template = |text: &Text, way| {
            once(text, way, || {
                made.set(made.get() + 1);
                Arc::new(parse(text, &TemplateOptions { left: "", right: "", functions: &Builtins }))
            })
        };
        let (one, counterpart) = (Text::from("{{ .a }}"), Text::from("{{ .a }}"));
        let first = template(&one, (0, 2));
        assert!(Arc::ptr_eq(&first, &template(&one, (0, 2))));
        for (text, way) in [(&one, (1, 2)), (&one, (0, 4)), (&counterpart, (0, 2))] {
            let before = made.get();
            assert!(!Arc::ptr_eq(&first, &template(text, way)));
            assert_eq!(made.get(), before + 1);
        }
        // Each gets its own result, however many there are.
        let texts: Vec<Text> = (0..3 * KEPT).map(|n| Text::from(format!("{{{{ .a{n} }}}}"))).collect();
        for text in texts.iter().chain(&texts) {
            assert_eq!(template(text, (0, 2)).as_ref().as_ref().map(|t| t.text().to_owned()), Ok(text.to_string()));
        }
    }
}
