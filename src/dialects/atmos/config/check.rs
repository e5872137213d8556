//! Holds the configuration against its description.
//! Atmos reads its configuration with conversions: a number becomes text, one item a list, and so on. If a value cannot
//! be converted, it rejects every command. The table in the tests was recorded from the library that it uses (viper
//! 1.21, mapstructure 2).

use super::description::CONFIGURATION;
use super::settled;
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::rules;
use crate::dialects::atmos::shapes::check::{kinds, near};
use crate::dialects::atmos::shapes::messages::{key_label, move_entry, one_of_kinds, rename_key};
use crate::dialects::atmos::shapes::shape::{Key, Map, Rest, Shape};
use crate::files::Files;
use crate::syntax::relocation::Move;
use crate::value::{Data, Entry, FileId, Flags, Value};

/// Checks the merged configuration; `file` is the place of findings without a better one.
pub(crate) fn check(all: &Value, files: &Files, file: FileId) -> Vec<Diagnostic> {
    let mut run = ConfigCheck { all, files, file, path: String::new(), found: Vec::new() };
    // To the library, nothing and maps of nothing equal missing keys.
    if let Some(settled) = settled(all) {
        run.shape(&CONFIGURATION, &settled);
    }
    run.found
}

/// Whether Atmos converts a value that is neither a map nor a list to a shape.
fn converts(shape: &'static Shape, value: &Value) -> bool {
    let is_number = matches!(value.data, Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_));
    match (shape, value.as_str()) {
        (Shape::Text, _) => true,
        (Shape::Flag, Some(text)) => is_flag(text),
        (Shape::Number(range), Some(text)) => is_number_text(text, range.whole),
        (Shape::Flag | Shape::Number(_), None) => is_number,
        (Shape::List(list), _) => converts(list.item, value),
        (Shape::Named(_, inner), _) => converts(inner, value),
        (shape, _) => matches!(shape, Shape::Any),
    }
}

/// Whether a text calls a function of configurations.
fn is_function(text: &str) -> bool {
    const FUNCTIONS: [&str; 8] =
        ["!cwd", "!env", "!exec", "!include", "!include.raw", "!random", "!repo-root", "!unset"];
    let name = text.split_whitespace().next().unwrap_or_default();
    FUNCTIONS.contains(&name) || name.starts_with("!git.")
}

/// Whether a text is one of some words, in any case, or empty.
fn is_among(words: &[&str], value: &Value) -> bool {
    let is_word = |text: &str| text.is_empty() || words.iter().any(|word| word.eq_ignore_ascii_case(text));
    value.as_str().is_some_and(is_word)
}

/// Whether text is treated as true or false (`strconv.ParseBool`, and empty text).
fn is_flag(text: &str) -> bool {
    matches!(text, "" | "1" | "t" | "T" | "TRUE" | "true" | "True" | "0" | "f" | "F" | "FALSE" | "false" | "False")
}

/// Whether text is treated as a number: whole ones also in other bases (`0x10`).
fn is_number_text(text: &str, is_whole: bool) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let starts = digits.starts_with(|c: char| c.is_ascii_digit());
    match is_whole {
        _ if text.is_empty() => true,
        true => starts && digits.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'),
        false => text.parse::<f64>().is_ok(),
    }
}

struct ConfigCheck<'a> {
    /// The whole configuration.
    all: &'a Value,
    files: &'a Files,
    file: FileId,
    path: String,
    found: Vec<Diagnostic>,
}

impl ConfigCheck<'_> {
    /// Examines a value one step further in.
    fn inside(&mut self, key: &str, look: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        if !self.path.is_empty() && !key.starts_with('[') {
            self.path.push('.');
        }
        self.path.push_str(key);
        look(self);
        self.path.truncate(length);
    }

    fn shape(&mut self, shape: &'static Shape, value: &Value) {
        // Results of functions and dates are unknown.
        let is_absent = value.is_null() || value.as_map().is_some_and(|map| map.is_empty());
        let is_call = value.as_str().is_some_and(is_function) && value.holds(Flags::CALL);
        if is_absent || is_call || matches!(value.data, Data::Unknown(_) | Data::Time(_)) {
            return;
        }
        match (shape, &value.data) {
            (Shape::Any, _) => {}
            (Shape::Named(_, inner), _) => self.shape(inner, value),
            (Shape::Map(map), Data::Map(_)) => self.map(map, value),
            (Shape::Map(map), Data::List(items)) if !matches!(map.rest, Rest::Ignored) => {
                // Maps of a list are merged into one where the names are the user's.
                items.iter().for_each(|item| self.shape(shape, item));
            }
            (Shape::AnyCase(words), Data::Str(_)) if is_among(words, value) => {}
            (Shape::Either(shapes), Data::Str(_)) if shapes.iter().any(|one| matches!(one, Shape::Text)) => {}
            (Shape::Either(shapes), Data::Map(_)) if shapes.iter().any(|one| matches!(one, Shape::Map(_))) => {}
            (Shape::List(list), Data::List(items)) => {
                for (at, item) in items.iter().enumerate() {
                    let is_map = item.as_map().is_some() && matches!(list.item, Shape::Text);
                    self.inside(&format!("[{at}]"), |run| match is_map {
                        true => run.refused(list.item, item),
                        false => run.shape(list.item, item),
                    });
                }
            }
            // A single item represents a list of one.
            (Shape::List(list), Data::Map(_)) => self.shape(list.item, value),
            (_, Data::Map(_) | Data::List(_)) => self.refused(shape, value),
            (_, _) if converts(shape, value) => {}
            _ => self.refused(shape, value),
        }
    }

    fn map(&mut self, map: &'static Map, value: &Value) {
        for Entry { key, value } in value.as_map().into_iter().flat_map(|all| all.iter()) {
            match map.keys.iter().find(|known| known.name.eq_ignore_ascii_case(key)) {
                Some(known) => self.inside(known.name, |run| {
                    if let Some(replacement) = known.replacement {
                        run.deprecated(known, replacement, value);
                    }
                    run.shape(known.shape, value);
                }),
                None => match map.rest {
                    Rest::Each(inner) => self.inside(key, |run| run.shape(inner, value)),
                    Rest::Ignored => self.unknown(key, map, value),
                    _ => {}
                },
            }
        }
    }

    /// Reports a value that Atmos cannot convert.
    fn refused(&mut self, shape: &'static Shape, value: &Value) {
        let kinds = match shape {
            Shape::AnyCase(words) => format!("one of {}", words.join(", ")),
            _ => one_of_kinds(&kinds(shape)),
        };
        let message = match value.as_str() {
            Some(text) if matches!(shape, Shape::Flag | Shape::Number(_) | Shape::AnyCase(_)) => {
                format!("`{}` must be {kinds}, not `{text}`", self.path)
            }
            _ => format!("`{}` must be {kinds}, not {}", self.path, value.a_kind()),
        };
        let place = value.prov.origin.map_or(Label::new(self.file, 0, 0, ""), |origin| Label::at(origin, ""));
        let finding = Diagnostic::new(&rules::INVALID_CONFIG, message, place).token(self.path.as_str());
        self.found.push(finding.note("Atmos rejects this configuration in every command"));
    }

    fn unknown(&mut self, key: &str, map: &'static Map, value: &Value) {
        let Some(near) = near(key, map) else { return };
        let written = self.as_written(key, value);
        let place = if self.path.is_empty() { "the configuration".to_owned() } else { format!("`{}`", self.path) };
        let primary = key_label(value, &written, self.files, self.file);
        let message = format!("`{written}` has no meaning in {place}");
        let finding = Diagnostic::new(&rules::UNKNOWN_KEY, message, primary).token(written);
        self.found.push(rename_key(finding, near));
    }

    fn deprecated(&mut self, key: &Key, replacement: &str, value: &Value) {
        let written = self.as_written(key.name, value);
        let primary = key_label(value, &written, self.files, self.file);
        let finding = Diagnostic::new(&rules::DEPRECATED_KEY, format!("`{}` is deprecated", self.path), primary);
        let finding = finding.token(written).help(format!("use `{replacement}`"));
        let to: Vec<&str> = replacement.split('.').collect();
        // Several files make up the configuration, and each may have the new key.
        let is_free = key.is_moved && self.all.at_path(to.iter().copied()).is_none();
        let keys = self.path.split('.').count();
        let finding =
            if is_free { move_entry(finding, Move { keys, to: &to, as_list: false }, self.files) } else { finding };
        self.found.push(finding);
    }

    /// A key as its file spells it: the merged configuration has keys in lower case.
    fn as_written(&self, key: &str, value: &Value) -> String {
        let Some(origin) = value.prov.origin else { return key.to_owned() };
        let text = &self.files.get(origin.file).text;
        let start = origin.key as usize;
        let is_quoted = text.get(start..).is_some_and(|rest| rest.starts_with(['"', '\'']));
        let start = start + usize::from(is_quoted);
        let written = text.get(start..start + key.len()).filter(|written| written.eq_ignore_ascii_case(key));
        written.unwrap_or(key).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::atmos::config::description::{FREE, NUMBER, TEXTS, WHOLE, each, settings};
    use crate::dialects::atmos::config::search::decode_text;
    use crate::dialects::atmos::shapes::shape::list;

    static STRUCT: Shape = settings!({ "a": Shape::Text });
    static STRUCTS: Shape = list!(STRUCT);
    static TEXT_MAP: Shape = each!(Shape::Text);
    static STRUCT_MAP: Shape = each!(STRUCT);

    static LEVEL: Shape = Shape::AnyCase(&["Word"]);
    static STEPS: Shape = list!(Shape::Either(&[&Shape::Text, &FREE]));

    /// The accepted values of [`VALUES`] for each shape, according to the library.
    const TAKEN: &[(&Shape, &str)] = &[
        (&Shape::Text, r#"null true 1 1.5 -1 "" word "true" "yes" "1" "0x10" " 1" {}"#),
        (&Shape::Flag, r#"null true 1 1.5 -1 "" "true" "1" {}"#),
        (&WHOLE, r#"null true 1 1.5 -1 "" "1" "0x10" {}"#),
        (&NUMBER, r#"null true 1 1.5 -1 "" "1" {}"#),
        (&TEXTS, r#"null true 1 1.5 -1 "" word "true" "yes" "1" "0x10" " 1" [] [a] [1] {}"#),
        (&STRUCT, "null {} {a:_b}"),
        (&STRUCTS, "null [] [{a:_1}] {} {a:_b}"),
        (&FREE, "null [] [{a:_1}] {} {a:_b} {a:_{a:_b}} {a:_[x]}"),
        (&TEXT_MAP, "null [] [{a:_1}] {} {a:_b}"),
        (&LEVEL, r#"null "" word {}"#),
        (&STEPS, r#"null [] [a] [{a:_1}] {} {a:_b} {a:_{a:_b}} {a:_[x]}"#),
        (&STRUCT_MAP, "null [] {} {a:_{a:_b}}"),
    ];
    const VALUES: &str = r#"null true 1 1.5 -1 "" word "true" "yes" "1" "0x10" "_1" [] [a] [1] [{a:_1}] [[a]] {} {a:_b} {a:_{a:_b}} {a:_[x]}"#;

    #[test]
    fn values_are_converted_as_the_library_of_atmos_does() {
        let files = Files::default();
        let file = files.add("atmos.yaml", "", || "".into());
        for (shape, taken) in TAKEN {
            let taken = taken.replace("\" 1\"", "\"_1\"");
            for text in VALUES.split(' ') {
                let value = decode_text(&text.replace('_', " "));
                let mut run = ConfigCheck { all: &value, files: &files, file, path: String::new(), found: Vec::new() };
                run.shape(shape, &value);
                let is_taken = taken.split(' ').any(|known| known == text);
                assert_eq!(run.found.is_empty(), is_taken, "{text} for {:?}", kinds(shape));
            }
        }
    }

    #[test]
    fn the_description_is_exported_with_every_key() {
        let schema = crate::dialects::atmos::Atmos::configuration_schema();
        for path in ["/properties/stacks/properties/name_template", "/$defs/command/properties/steps"] {
            assert!(schema.pointer(path).is_some(), "{path}");
        }
        assert_eq!(schema["title"], "Atmos configuration");
    }
}
