//! Finds the manifests that probably define a stack by name, from the text of their files, so that a question about one
//! stack need not resolve all of them.
//!
//! The name of a stack is made of variables. A manifest is likely to have it if each of them is somewhere in its files set to
//! text that the name contains. What is computed may be anything.

use super::reach::ChangeReach;
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::diagnostics::Diagnostics;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Reader};
use crate::text::Text;
use std::collections::{HashMap, HashSet};

/// The values of a key in one file.
#[derive(Clone, Default)]
struct Written {
    texts: HashSet<String>,
    /// Some value is computed, or written elsewhere.
    is_open: bool,
}

/// Returns the paths of the manifests that probably define a stack; `None` if that is unknown.
pub(in crate::dialects::atmos) fn manifests(reader: &Reader<'_>, config: &Config, stack: &str) -> Vec<String> {
    let (all, _) = super::stack_files::manifests(reader, config, &Diagnostics::default(), &mut Deps::default());
    let named = if config.name_template.is_empty() { &config.name_pattern } else { &config.name_template };
    let words: HashSet<&str> = words(named).collect();
    let reach = ChangeReach::new(reader, config, &[]);
    let mut known: HashMap<Text, HashMap<&str, Written>> = HashMap::new();
    let mut is_likely = |path: &String| {
        if *path == stack || *paths::manifest_key(path, &config.stacks) == *stack {
            return true;
        }
        let Some(files) = reach.files(path) else { return true };
        let mut united: HashMap<&str, Written> = HashMap::new();
        for file in files {
            let own = known.entry(Text::clone(&file)).or_insert_with(|| {
                let loaded = reader.load(&file, &mut Deps::default()).ok().flatten();
                loaded.map_or_else(HashMap::new, |loaded| written(&loaded.text, &words))
            });
            for (word, own) in own {
                let all = united.entry(word).or_default();
                all.is_open |= own.is_open;
                all.texts.extend(own.texts.iter().cloned());
            }
        }
        let names = united.remove(NAME);
        if names.is_some_and(|names| names.texts.contains(stack)) {
            return true;
        }
        let fits = |written: &Written| {
            written.is_open || written.texts.iter().any(|text| !text.is_empty() && stack.contains(text.as_str()))
        };
        !words.is_empty() && united.values().all(fits)
    };
    all.into_iter().filter(|path| is_likely(path)).collect()
}

/// The key of a manifest that names its stack.
const NAME: &str = "name";

/// Returns the keys that a pattern (`{stage}`) or a template (`{{ .vars.stage }}`) reads.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let parts = text.split_inclusive(['.', '{']).skip(1);
    parts
        .map(move |part| part.split(|c| !is_word(c)).next().unwrap_or_default())
        .filter(|w| !w.is_empty() && *w != NAME)
}

/// Returns the values of some keys in a text, and of the keys for the name of a stack.
fn written<'a>(text: &str, words: &HashSet<&'a str>) -> HashMap<&'a str, Written> {
    let mut found: HashMap<&'a str, Written> = HashMap::new();
    for word in words.iter().copied().chain([NAME]) {
        for (at, _) in text.match_indices(word) {
            let is_inside = text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
            let rest = text[at + word.len()..].trim_start_matches(['"', '\'']).trim_start_matches([' ', '\t']);
            let Some(rest) = rest.strip_prefix(':').filter(|_| !is_inside) else { continue };
            let end = rest.find(['\n', '\r', ',', '}', '#']).unwrap_or(rest.len());
            let value = rest[..end].trim().trim_matches(['"', '\'']);
            let written = found.entry(word).or_default();
            if value.is_empty() || value.starts_with(['&', '*', '!', '|', '>', '[', '{']) || value.contains("{{") {
                written.is_open = true;
            } else {
                written.texts.insert(value.to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_name_reads() {
        let of = |text| words(text).collect::<Vec<_>>();
        assert_eq!(of("{tenant}-{stage}"), ["tenant", "stage"]);
        assert_eq!(of("s-{{ .vars.tenant }}-{{.vars.stage | upper}}"), ["vars", "tenant", "vars", "stage"]);
        assert_eq!(of("plain"), [""; 0]);
    }

    #[test]
    fn what_follows_a_key() {
        let words: HashSet<&str> = words("{tenant}-{stage}").collect();
        let of = |text: &str, word: &str| {
            let found = written(text, &words).remove(word).unwrap_or_default();
            let mut texts: Vec<String> = found.texts.into_iter().collect();
            texts.sort();
            (texts.join(" "), found.is_open)
        };
        for (text, expected) in [
            ("stage: dev # x\nvars: {stage: 'prod', a: b}\n", ("dev prod", false)),
            ("\"stage\" : dev", ("dev", false)),
            ("backstage: dev\nx.stage: a", ("", false)),
            ("stage: \"{{ .locals.s }}\"", ("", true)),
            ("stage: *anchor", ("", true)),
            ("stage:\n  dev", ("", true)),
        ] {
            assert_eq!(of(text, "stage"), (expected.0.to_owned(), expected.1), "{text}");
        }
        assert_eq!(of("name: shop", "name").0, "shop");
    }
}
