//! The readers of this dialect with untrusted text.

use crate::dialects::atmos::functions::arguments as args;
use crate::dialects::atmos::functions::tags;
use crate::dialects::atmos::include::{self, Format};
use crate::dialects::atmos::reader::plain_text;
use crate::fuzz::{cases, text};
use crate::limits::Limits;
use proptest::prelude::*;
use proptest::sample::select;

const QUERIES: [&str; 9] =
    [".", "..", ".a[0].b", "keys", ".a | length", ".[] | select(. == \"x\")", "@json", ". * .", "to_entries"];

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn arguments_of_strangers(text in text()) {
        let _ = args::lex(&text);
        let _ = args::parse_include(&text);
        let _ = args::parse_terraform(&text);
        let _ = args::parse_env(&text);
        let _ = args::parse_store(&text);
        let _ = args::parse_store_get(&text);
        let _ = include::parse_arguments(&text);
        let _ = tags::lookup(&text);
    }

    #[test]
    fn files_of_strangers(text in text(), query in prop_oneof![select(&QUERIES[..]).prop_map(String::from), text()], format in select(&[Format::Json, Format::Yaml, Format::Hcl, Format::Dotenv, Format::Text][..])) {
        let yaml = |text: &str| plain_text(text, Limits::default());
        let known = b"a: [{b: 1, c: x}]\nd: {e: 2024-01-02}\n";
        for (format, bytes, query) in
            [(format, text.as_bytes(), None), (format, text.as_bytes(), Some(&query)), (Format::Yaml, known, Some(&text))]
        {
            let Ok(content) = include::decode(format, bytes, &yaml) else { continue };
            let _ = include::included(&content, query.map(String::as_str), &yaml, &mut 300_000);
        }
    }
}
