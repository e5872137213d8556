//! Calls written as in templates, with what Go answers.

use super::*;
use crate::format;
use go_compat::strconv;
use traced_value::{Data, Value};

/// A reader of plain calls: `f "a" (g 1) | ns.Method true`.
struct Reader<'a> {
    rest: &'a str,
    functions: FunctionSet,
}

impl Reader<'_> {
    fn pipe(&mut self) -> Result<Val, String> {
        let mut last = None;
        loop {
            last = Some(self.command(last)?);
            self.rest = self.rest.trim_start();
            match self.rest.strip_prefix('|') {
                Some(rest) => self.rest = rest,
                None => return Ok(last.expect("a command was read")),
            }
        }
    }

    fn command(&mut self, last: Option<Val>) -> Result<Val, String> {
        self.rest = self.rest.trim_start();
        let head = if self.rest.starts_with(|c: char| c.is_ascii_alphabetic()) { self.word() } else { String::new() };
        let mut method = None;
        let function = match head.as_str() {
            "" => {
                let value = self.operand()?;
                let Some(rest) = self.rest.strip_prefix('.') else { return Ok(value) };
                self.rest = rest;
                method = Some((value, self.word()));
                None
            }
            "nil" | "true" | "false" => {
                self.rest = "";
                return Ok(literal(&head));
            }
            name => match (self.functions.get(name), name.split_once('.')) {
                (Some(f), _) => Some(f),
                (None, Some((space, name))) => {
                    method = Some((self.functions.object(space).ok_or("no such namespace")?, name.to_owned()));
                    None
                }
                (None, None) => return Err(format!("function {name:?} not defined")),
            },
        };
        let mut args = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() || self.rest.starts_with([')', '|']) {
                break;
            }
            args.push(self.operand()?);
        }
        args.extend(last);
        match (function, method) {
            (Some(f), _) => f(&args),
            (None, Some((Val::Object(object), name))) => object.call(&name, &args),
            (None, Some((Val::Data(Value { data: Data::Time(t), .. }), name))) => {
                time_method(&t, &name, &args).unwrap_or(Err("no such method".into()))
            }
            _ => Err("not callable".into()),
        }
    }

    fn word(&mut self) -> String {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || "._+-".contains(c))).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    fn operand(&mut self) -> Result<Val, String> {
        if let Some(rest) = self.rest.strip_prefix('(') {
            self.rest = rest;
            let value = self.pipe()?;
            self.rest = self.rest.trim_start().strip_prefix(')').ok_or("no closing bracket")?;
            return Ok(value);
        }
        if self.rest.starts_with('"') {
            let mut end = 1;
            while !self.rest[end..].starts_with('"') {
                end += if self.rest[end..].starts_with('\\') {
                    2
                } else {
                    self.rest[end..].chars().next().unwrap().len_utf8()
                };
            }
            let text = json::decode(&self.rest[..=end]).unwrap();
            self.rest = &self.rest[end + 1..];
            return Ok(text.into());
        }
        let word = self.word();
        match self.functions.get(&word) {
            Some(f) => f(&[]),
            None => Ok(literal(&word)),
        }
    }
}

fn literal(word: &str) -> Val {
    match word {
        "nil" => Val::Missing,
        "true" | "false" => Data::Bool(word == "true").into(),
        w => match strconv::parse_int(w, 0, 64) {
            Ok(n) => Data::Int(n).into(),
            Err(_) => Data::Float(strconv::parse_float(w).unwrap()).into(),
        },
    }
}

fn eval_with(functions: FunctionSet, text: &str) -> Result<String, String> {
    Reader { rest: text, functions }.pipe().map(|v| match v {
        Val::Data(Value { data: Data::Null, .. }) => "<no value>".into(),
        v => format::print_value(&v),
    })
}

super::unknown_table! { METHODS:
    "Component" => "reads the outputs of a component";
}

static HOST: Namespace = Namespace { name: "host", type_name: "*host.Funcs", methods: &[METHODS], fields: &[] };
const ALL: FunctionSet = FunctionSet { sprig: true, gomplate: true, host: Some(&HOST) };
const SPRIG: FunctionSet = FunctionSet { sprig: true, gomplate: false, host: None };
const GOMPLATE: FunctionSet = FunctionSet { sprig: false, gomplate: true, host: Some(&HOST) };

#[test]
fn sprig_functions() {
    for (call, want) in [
        (r#"upper "aßé""#, "AßÉ"),
        (r#"trunc 3 "hello""#, "hel"),
        (r#"trunc -3 "hello""#, "llo"),
        (r#"substr 1 3 "hello""#, "el"),
        (r#"atoi "x""#, "0"),
        (r#"int "077""#, "63"),
        ("int true", "1"),
        ("int 3.9", "3"),
        (r#"b64dec "!!!""#, "illegal base64 data at input byte 0"),
        (r#"cat 1 "a" nil 2.5"#, "1 a 2.5"),
        (r#"join "," (list 1 nil "a")"#, "1,a"),
        (r#"splitList "," "a,b" | last"#, "b"),
        (r#"split "$" "a$b""#, "map[_0:a _1:b]"),
        (r#"merge (dict "a" 0) (dict "a" 1 "b" (list)) | toJson"#, r#"{"a":1,"b":[]}"#),
        (r#"mergeOverwrite (dict "a" (dict "x" 1)) (dict "a" (dict "y" nil)) | toJson"#, r#"{"a":{"x":1,"y":null}}"#),
        (r#"dig "a" "b" "none" (dict "a" (dict))"#, "none"),
        (r#"default "x" nil"#, "x"),
        ("coalesce 0 nil", "<no value>"),
        ("addf 0.1 0.2", "0.3"),
        ("round 3.14159 2", "3.14"),
        ("seq 5 -2 0", "5 3 1"),
        ("until 3", "[0 1 2]"),
        ("duration 95", "0s"),
        (r#"duration "3700""#, "1h1m40s"),
        (r#"date "02 Jan 2006" 86400"#, "02 Jan 1970"),
        (r#"(toDate "2006-01-02" "2021-03-04").Year"#, "2021"),
        (r#"typeOf (semver "1.2")"#, "*semver.Version"),
        (r#"toJson "<a>""#, r#""\u003ca\u003e""#),
        (r#"toRawJson "<a>""#, r#""<a>""#),
        (r#"fromJson "{\"a\":1e3}""#, "map[a:1000]"),
        (r#"collectKeys (dict "b" 1 "a" 2)"#, "[a b]"),
        (r#"collectKeys (dict "b" (dict "r" (dict "x" 1))) "r""#, "[x]"),
    ] {
        assert_eq!(eval_with(SPRIG, call).as_deref(), Ok(want), "{call}");
    }
}

#[test]
fn gomplate_functions() {
    for (call, want) in [
        (r#"strings.Title "hello wIDE world""#, "Hello Wide World"),
        (r#"strings.Indent 2 "-" "x""#, "--x"),
        (r#"strings.Abbrev 3 9 "abcdefghijkl""#, "abcdef..."),
        (r#"conv.ToInt "1,000""#, "1000"),
        (r#"conv.ToStrings 1 nil"#, "[1 nil]"),
        (r#"conv.URL "https://h.test:99/p?q=1""#, "https://h.test:99/p?q=1"),
        (r#"(conv.URL "https://h.test:99/p").Host"#, "h.test:99"),
        ("math.Pow 2 0.5", "1"),
        ("math.Div 7 2", "3.5"),
        ("math.Seq 3 1", "[3 2 1]"),
        (r#"regexp.Replace "(a)(b)" "$2$1" "xaby""#, "xbay"),
        (r#"path.Join "a" "../b""#, "b"),
        (r#"data.JSON "{\"a\":[1,2.5]}""#, "map[a:[1 2.5]]"),
        (r#"data.ToJSON (dict "b" 1.0)"#, r#"{"b":1.0}"#),
        (r#"data.ToJSON (conv.ToFloat64 "inf")"#, "null"),
        (r#"data.ToTOML (dict "a" (dict "b" (slice 1.5)))"#, "[a]\n  b = [1.5]\n"),
        (r#"data.CSVByRow "a,b\n1,2""#, "[map[a:1 b:2]]"),
        (r#"coll.Merge (dict "a" 1) (dict "a" 2 "b" 3)"#, "map[a:1 b:3]"),
        (r#"base64.Decode "w6k-""#, "é>"),
        ("time.Hour 2", "2h0m0s"),
        (r#"append 1 (slice 2)"#, "[2 1]"),
        (r#"contains "abc" "b""#, "true"),
        (r#"test.Ternary 1 2 "yes""#, "1"),
    ] {
        assert_eq!(eval_with(GOMPLATE, call).as_deref(), Ok(want), "{call}");
    }
}

#[test]
fn errors() {
    for (call, want) in [
        ("upper", "wrong number of args for upper: want 1 got 0"),
        ("upper (list)", "wrong type for value; expected string; got []interface {}"),
        (r#"slice "abc" 1"#, "list should be type of slice or array but string"),
        (r#"fail "boom""#, "boom"),
        (r#"mustFromJson "{bad""#, "invalid character 'b' looking for beginning of object key string"),
        ("div 1 0", "runtime error: integer divide by zero"),
        (r#"required "msg" """#, "msg"),
        ("first nil", "runtime error: invalid memory address or nil pointer dereference"),
        (r#"repeat -1 "x""#, "strings: negative Repeat count"),
        ("collectKeys 1", "collectKeys: expected a map, got int"),
    ] {
        assert_eq!(eval_with(ALL, call), Err(want.into()), "{call}");
    }
}

#[test]
fn libraries_hide_each_other() {
    let all = ALL;
    assert!(all.object("strings").is_some() && all.object("host").is_some());
    // `env` is the function of sprig, or else the namespace of gomplate.
    assert!(all.object("env").is_none() && all.get("env").is_some());
    assert!(GOMPLATE.object("env").is_some() && GOMPLATE.get("env").is_none());
    assert!(SPRIG.object("host").is_none() && SPRIG.get("collectKeys").is_some());
    assert!(GOMPLATE.get("upper").is_none() && all.get("toYaml").is_none() && all.get("nope").is_none());
}

#[test]
fn what_only_the_running_system_knows() {
    for (call, reason) in [
        (r#"env "HOME""#, "`env` reads the environment"),
        ("now", "`now` reads the clock"),
        ("uuidv4", "`uuidv4` draws random numbers"),
        (r#"repeat 99999999999 "x""#, "`repeat` is not evaluated"),
        (r#"data.TOML "a = 2020-01-01""#, "dates of TOML without an offset are not evaluated"),
        (r#"host.Component "a" "b""#, "`Component` reads the outputs of a component"),
        (r#"date "2006" "x""#, "`date` reads the clock"),
    ] {
        let value = Reader { rest: call, functions: ALL }.pipe().unwrap();
        assert_eq!(&*value.as_unknown().unwrap().reasons[0], reason, "{call}");
    }
    let unknown = call::to_value(&Val::unknown("{{ x }}", "because"));
    let list: Val = Value::list(vec![unknown]).into();
    let call = |name: &str, args: &[Val]| ALL.get(name).unwrap()(args).unwrap();
    assert!(call("join", &[Value::str(",").into(), list.clone()]).as_unknown().is_some());
    assert!(call("append", &[list.clone(), Value::str("a").into()]).as_unknown().is_none());
    assert!(call("first", &[list]).as_unknown().is_some());
}
