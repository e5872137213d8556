//! Recently parsed templates, by the address of their text in memory: components share the strings of what they inherit,
//! and looking one up by its address costs less than by its content.

use crate::dialects::atmos::slot_table::{SlotTable, mix};
use crate::template::{self, Template};
use crate::text::Text;
use crate::threads::PerThread;
use std::sync::Arc;

/// The number of entries for each thread.
const CACHED: usize = 1024;

/// A template, or its parse error.
pub(in crate::dialects::atmos) type Parsed = Arc<Result<Template, template::Error>>;

/// The kind of rendering ([`super::engine::Engine::slot`]) and the indentation of the text: with the text they identify
/// a template.
pub(super) type Variant = (usize, usize);

/// A text, whose address stays valid because it is kept alive, and its template.
type Entry = (Text, Variant, Parsed);

/// Recently parsed templates of a resolution.
#[derive(Default)]
pub(super) struct RecentTemplates(PerThread<SlotTable<Entry, CACHED>>);

impl RecentTemplates {
    /// The template of a text: the cached one, or the result of `parse`.
    pub(super) fn get_or_parse(&self, text: &Text, variant: Variant, parse: impl FnOnce() -> Parsed) -> Parsed {
        let hash = mix(mix(text.as_ptr().addr() as u64, variant.0 as u64), variant.1 as u64);
        let cached = self.0.with(|templates| match templates.get(hash) {
            Some((t, v, parsed)) if Text::ptr_eq(t, text) && *v == variant => Some(Parsed::clone(parsed)),
            _ => None,
        });
        cached.flatten().unwrap_or_else(|| {
            let parsed = parse();
            let entry = (Text::clone(text), variant, Parsed::clone(&parsed));
            // What is replaced is dropped outside, because that may take long.
            let replaced = self.0.with(|templates| templates.put(hash, entry));
            drop(replaced);
            parsed
        })
    }

    /// Drops all templates.
    pub(super) fn clear(&self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::{Builtins, TemplateOptions, parse};

    #[test]
    fn each_variant_of_a_text_has_its_template() {
        let (cache, parsed) = (RecentTemplates::default(), std::cell::Cell::new(0));
        let template = |text: &Text, variant| {
            cache.get_or_parse(text, variant, || {
                parsed.set(parsed.get() + 1);
                Arc::new(parse(text, &TemplateOptions { left: "", right: "", functions: &Builtins }))
            })
        };
        let (one, equal) = (Text::from("{{ .a }}"), Text::from("{{ .a }}"));
        let first = template(&one, (0, 2));
        assert!(Arc::ptr_eq(&first, &template(&one, (0, 2))));
        for (text, variant) in [(&one, (1, 2)), (&one, (0, 4)), (&equal, (0, 2))] {
            let before = parsed.get();
            assert!(!Arc::ptr_eq(&first, &template(text, variant)));
            assert_eq!(parsed.get(), before + 1);
        }
        // Each text gets its own template, however many there are.
        let texts: Vec<Text> = (0..3 * CACHED).map(|n| Text::from(format!("{{{{ .a{n} }}}}"))).collect();
        for text in texts.iter().chain(&texts) {
            assert_eq!(template(text, (0, 2)).as_ref().as_ref().map(|t| t.text().to_owned()), Ok(text.to_string()));
        }
        cache.clear();
        assert_eq!(Arc::strong_count(&first), 1);
    }
}
