//! A cache of the declarations of files across runs: parsing them is expensive and depends only on their content.

use super::Syntax;
use super::read::Parsed;
use crate::source::{BlobId, Store};

/// Changes with the code that reads and describes files, so that other builds do not share entries.
const READER: u64 = {
    let mut hash = fnv(include_bytes!("declaration_cache.rs"), 0xcbf2_9ce4_8422_2325);
    hash = fnv(include_bytes!("types.rs"), fnv(include_bytes!("read.rs"), hash));
    hash = fnv(
        include_bytes!("../../crates/hcl/src/ast/mod.rs"),
        fnv(include_bytes!("../../crates/hcl/src/ast/walk.rs"), hash),
    );
    hash = fnv(
        include_bytes!("../../crates/hcl/src/parse/mod.rs"),
        fnv(include_bytes!("../../crates/hcl/src/parse/scan.rs"), hash),
    );
    hash = fnv(
        include_bytes!("../../crates/hcl/src/parse/body.rs"),
        fnv(include_bytes!("../../crates/hcl/src/parse/expr.rs"), hash),
    );
    fnv(include_bytes!("../../crates/hcl/src/parse/template.rs"), hash)
};

const fn fnv(bytes: &[u8], mut hash: u64) -> u64 {
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x100_0000_01b3);
        i += 1;
    }
    hash
}

/// The key of a file. It contains the version of the program, and a version of its reader. The id is that of the bytes that were read: a listing may be older than they are, or name a file that is
/// too large by other things than its content.
pub(super) fn key(bytes: &[u8], syntax: Syntax) -> String {
    let syntax = match syntax {
        Syntax::Native => "native",
        Syntax::Json => "json",
    };
    let version = env!("CARGO_PKG_VERSION").replace('.', "-");
    format!("{}-{syntax}-{version}-{READER:016x}", BlobId::of(bytes))
}

/// Returns the cached declarations of a file with these bytes.
pub(super) fn get(store: &dyn Store, key: &str, bytes: &[u8]) -> Option<Parsed> {
    let parsed: Parsed = serde_json::from_slice(&store.get(key)?).ok()?;
    let fits = match &parsed {
        Ok(declarations) => {
            let text = std::str::from_utf8(bytes).ok()?;
            declarations.spans().all(|s| text.is_char_boundary(s.start) && text.is_char_boundary(s.end))
        }
        Err(why) => why.offset <= bytes.len(),
    };
    fits.then_some(parsed)
}

/// Keeps what a file declares.
pub(super) fn put(store: &dyn Store, key: &str, parsed: &Parsed) {
    if let Ok(text) = serde_json::to_vec(parsed) {
        store.put(key, &text);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cache, Modules, read};
    use super::*;
    use crate::files::Files;
    use crate::source::Memory;
    use parking_lot::Mutex;
    use std::collections::HashMap;
    use std::sync::Arc;

    #[derive(Default)]
    struct Shelf(Mutex<HashMap<String, Vec<u8>>>);

    impl Store for Shelf {
        fn get(&self, key: &str) -> Option<Vec<u8>> {
            self.0.lock().get(key).cloned()
        }

        fn put(&self, key: &str, bytes: &[u8]) {
            self.0.lock().insert(key.to_owned(), bytes.to_vec());
        }
    }

    fn parse(bytes: &[u8], syntax: Syntax) -> Parsed {
        match syntax {
            Syntax::Native => read::native(bytes),
            Syntax::Json => read::json(bytes),
        }
    }

    #[test]
    fn everything_reads_back_as_it_was() {
        let deep = "object({ a = ".repeat(40) + "string" + &" })".repeat(40);
        let deep = format!("variable \"deep\" {{\n  type = {deep}\n}}\n");
        let all = "terraform {\n  required_version = \"1\"\n  backend \"s3\" {}\n  required_providers {\n    aws = {}\n  }\n}\n\
                   variable \"ä\" {\n  type = object({ a = optional(list(string)), b = tuple([set(bool), map(number)]) })\n  default = 1\n\
                   nullable = false\n  sensitive = true\n  validation {}\n}\nvariable \"b\" {}\noutput \"c\" {\n  value = [1]\n}\n\
                   output \"d\" {}\nmodule \"e\" {\n  source = \"../e\"\n}\nmodule \"f\" {}\n";
        let json = r#"{"variable": {"a": {"type": "list(string)"}}, "output": {"b": {"value": {}}}, "terraform": {"cloud": {}}}"#;
        let cases: [(&[u8], Syntax); 8] = [
            (deep.as_bytes(), Syntax::Native),
            (all.as_bytes(), Syntax::Native),
            (json.as_bytes(), Syntax::Json),
            (b"", Syntax::Native),
            (b"\xef\xbb\xbfvariable \"x\" { default = 1 }\n", Syntax::Native),
            (b"variable {{{", Syntax::Native),
            (b"a = 1\n\xff", Syntax::Native),
            (b"{\n\"x\": ", Syntax::Json),
        ];
        for (bytes, syntax) in cases {
            let (store, key, parsed) = (Shelf::default(), key(bytes, syntax), parse(bytes, syntax));
            assert_eq!(get(&store, &key, bytes), None);
            put(&store, &key, &parsed);
            assert_eq!(get(&store, &key, bytes), Some(parsed));
        }
    }

    #[test]
    fn what_cannot_be_of_the_file_is_not_there() {
        let bytes = "# ä\nvariable \"x\" {}\n".as_bytes();
        let (store, key) = (Shelf::default(), key(bytes, Syntax::Native));
        put(&store, &key, &parse(bytes, Syntax::Native));
        let good = String::from_utf8(store.get(&key).unwrap()).unwrap();
        assert!(good.contains("\"start\":5,"), "{good}");
        for (from, to) in [
            ("\"start\":5,", "\"start\":3,"),
            ("\"start\":5,", "\"start\":5000,"),
            ("\"start\":5,", "\"start\":-1,"),
            ("\"is_blank\":false", "\"is_blank\":false,\"more\":1"),
            ("\"is_blank\":false", "\"is_blank\":0"),
            ("{\"Ok\":", "{\"Fine\":"),
            ("}}", "}"),
        ] {
            assert!(good.contains(from), "{from}");
            store.put(&key, good.replace(from, to).as_bytes());
            assert_eq!(get(&store, &key, bytes), None, "{from} {to}");
        }
        for text in ["", "null", "[]", "{\"Ok\":{}}", "{\"Err\":{\"offset\":500,\"message\":\"\"}}"] {
            store.put(&key, text.as_bytes());
            assert_eq!(get(&store, &key, bytes), None, "{text}");
        }
    }

    #[test]
    fn a_later_run_reads_what_is_kept() {
        let (code, other) = ("variable \"a\" {}\n", "variable \"b\" {}\n");
        let files = ["m/main.tf", "n/main.tf"].map(|path| (path.to_owned(), code.as_bytes().to_vec()));
        let source = Memory::new("memory", files.into());
        let shelf = Arc::new(Shelf::default());
        let names = || {
            let (files, cache) = (Files::default(), Cache::with(Some(Arc::clone(&shelf) as Arc<dyn Store>)));
            let modules = Modules::new(&source, &files, &cache);
            ["m", "n"].map(|f| modules.get(f).unwrap().variables.keys().map(|k| &**k).collect::<String>())
        };
        assert_eq!(names(), ["a", "a"]);
        let key = key(code.as_bytes(), Syntax::Native);
        assert_eq!(shelf.0.lock().keys().collect::<Vec<_>>(), [&key], "equal files have one entry");
        put(&*shelf, &key, &parse(other.as_bytes(), Syntax::Native));
        assert_eq!(names(), ["b", "b"], "what is kept is believed");
        shelf.put(&key, b"garbage");
        assert_eq!(names(), ["a", "a"]);
        assert_eq!(get(&*shelf, &key, code.as_bytes()), Some(parse(code.as_bytes(), Syntax::Native)));
    }

    #[test]
    fn keys_tell_content_and_syntax_apart() {
        let version = format!("{}-{READER:016x}", env!("CARGO_PKG_VERSION").replace('.', "-"));
        let of = |syntax| format!("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391-{syntax}-{version}");
        assert_eq!(key(b"", Syntax::Native), of("native"));
        assert_eq!(key(b"", Syntax::Json), of("json"));
    }
}
