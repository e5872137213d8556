use super::*;
use spanned_yaml::Timestamp;
use std::sync::Arc;
use traced_value::{Data, Map};

mod failures;
mod rendering;
mod unknowns;

#[derive(Debug)]
struct Ns;

impl Object for Ns {
    fn call(&self, _name: &str, args: &[Val]) -> Result<Val, String> {
        if args.len() != 1 {
            return Err(format!("wrong number of args for ToUpper: want 1 got {}", args.len()));
        }
        upper(args)
    }
    fn has(&self, name: &str) -> bool {
        name == "ToUpper"
    }
    fn print(&self) -> String {
        "{}".to_owned()
    }
    fn type_name(&self) -> &'static str {
        "*main.NS"
    }
}

fn upper(args: &[Val]) -> Result<Val, String> {
    match args {
        [Val::Data(Value { data: Data::Str(s), .. })] => Ok(Data::Str(s.to_uppercase().into()).into()),
        [Val::Missing] => Err("invalid value; expected string".to_owned()),
        [Val::Data(v)] => {
            let got = operand::type_name(&v.data);
            Err(format!("wrong type for value; expected string; got {got}"))
        }
        _ => Err(format!("wrong number of args for upper: want 1 got {}", args.len())),
    }
}

fn fail(args: &[Val]) -> Result<Val, String> {
    match args {
        [Val::Data(Value { data: Data::Str(s), .. })] => Err(s.to_string()),
        _ => Err("?".to_owned()),
    }
}

fn value(arg: &Val) -> Value {
    match arg {
        Val::Data(v) => v.clone(),
        _ => Value::default(),
    }
}

fn dict(args: &[Val]) -> Result<Val, String> {
    let mut map = Map::new();
    for pair in args.chunks_exact(2) {
        if value(&pair[0]).as_str().is_none() {
            return Err(format!(
                "interface conversion: interface {{}} is {}, not string",
                operand::type_name(&value(&pair[0]).data)
            ));
        }
        map.set(value(&pair[0]).as_str().unwrap_or_default(), value(&pair[1]));
    }
    Ok(Value::map(map).into())
}

fn set(args: &[Val]) -> Result<Val, String> {
    let [target, key, new] = args else { return Err("?".to_owned()) };
    let mut map = value(target).as_map().map(|m| (**m).clone()).unwrap_or_default();
    map.set(value(key).as_str().unwrap_or_default(), value(new));
    Ok(Value::map(map).into())
}

fn list(args: &[Val]) -> Result<Val, String> {
    Ok(Value::list(args.iter().map(value).collect()).into())
}

fn default(args: &[Val]) -> Result<Val, String> {
    Ok(match args {
        [d, Val::Missing, ..] | [d] => d.clone(),
        [d, Val::Data(v), ..] if v.is_null() || v.as_str() == Some("") => d.clone(),
        [_, v, ..] => v.clone(),
        [] => return Err("wrong number of args for default: want at least 1 got 0".to_owned()),
    })
}

pub(super) struct Table;

impl Functions for Table {
    /// Loops that do not end are stopped earlier than usual.
    fn limits(&self) -> Limits {
        Limits { steps: 200_000, ..Limits::default() }
    }
    fn get(&self, name: &str) -> Option<Function> {
        Some(match name {
            "upper" => upper,
            "fail" => fail,
            "dict" => dict,
            "set" => set,
            "list" => list,
            "default" => default,
            "nul" => |_| Ok(Data::Null.into()),
            "env" => |_| Ok(Val::unknown("env", "`env` reads the environment")),
            _ => return None,
        })
    }
    fn object(&self, name: &str) -> Option<Val> {
        (name == "ns").then(|| Val::Object(Arc::new(Ns)))
    }
}

fn map<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    Value::map(pairs.into_iter().map(|(k, v)| (Text::from(k), v)).collect())
}

fn int(i: i64) -> Value {
    Value::new(Data::Int(i))
}

fn float(f: f64) -> Value {
    Value::new(Data::Float(f))
}

pub(super) fn data() -> Value {
    let bool = |b| Value::new(Data::Bool(b));
    let s = |t: &str| Value::str(t);
    let time = Timestamp { seconds: 1_704_164_645, nanos: 0, offset: 0 };
    map([
        ("s", s("abc")),
        ("e", s("")),
        ("i", int(3)),
        ("z", int(0)),
        ("neg", int(-2)),
        ("f", float(1.5)),
        ("f1", float(1.0)),
        ("f0", float(0.0)),
        ("t", bool(true)),
        ("no", bool(false)),
        ("n", Value::default()),
        ("u", Value::new(Data::Uint(u64::MAX))),
        (
            "m",
            map([
                ("a", int(1)),
                ("b", map([("c", s("d")), ("n", Value::default())])),
                ("l", Value::list(vec![s("x"), s("y")])),
            ]),
        ),
        ("em", map([])),
        ("el", Value::list(vec![])),
        (
            "l",
            Value::list(vec![
                s("p"),
                int(2),
                Value::default(),
                bool(true),
                float(1.5),
                map([("k", s("v"))]),
                Value::list(vec![int(1), s("q")]),
            ]),
        ),
        ("ll", Value::list(vec![Value::list(vec![int(1), int(2)]), Value::list(vec![int(3)])])),
        ("h", s("<a href=\"x\">&'")),
        ("é", s("ü")),
        ("d", Value::new(Data::Time(Arc::new(time)))),
        ("big", float(1e21)),
        ("small", float(1e-7)),
        ("sp", s("a b/c?&=é")),
    ])
}

pub(super) fn render(text: &str, missing: MissingKey) -> Result<String, String> {
    let options = TemplateOptions { left: "", right: "", functions: &Table };
    let go = |e: Error, parse: bool| {
        let before = &text[..e.offset];
        let line = 1 + before.matches('\n').count();
        if parse {
            let action = e.action.map(|a| 1 + text[..a].matches('\n').count());
            return match action {
                Some(a) if e.message.ends_with(" action") => {
                    format!("{line}: {} started at N:{a}", e.message)
                }
                Some(a) => format!("{line}: {} in action started at N:{a}", e.message),
                None => format!("{line}: {}", e.message),
            };
        }
        let column = e.offset - before.rfind('\n').map_or(0, |i| i + 1);
        format!("{line}:{column}: executing {:?} {}", e.within.as_deref().unwrap_or("N"), e.message)
    };
    let template = parse(text, &options).map_err(|e| go(e, true))?;
    let out = template.execute(&data(), missing, &Table).map_err(|e| go(e, false))?;
    Ok(out.text)
}

fn check(cases: &[(&str, &str)], missing: MissingKey) {
    for (text, want) in cases {
        let got = render(text, missing).unwrap_or_else(|e| e);
        // The tables leave out the name of the template.
        assert_eq!(got, want.replacen(": at <", ": executing \"N\" at <", 1), "{text}");
    }
}

#[test]
fn output_as_in_go() {
    check(rendering::OUTPUT, MissingKey::Default);
}

#[test]
fn failures_as_in_go() {
    check(failures::PARSING, MissingKey::Default);
    check(failures::RUNNING, MissingKey::Default);
    check(failures::MISSING, MissingKey::Error);
}

fn parsed(text: &str) -> Template {
    parse(text, &TemplateOptions { left: "", right: "", functions: &Table }).unwrap()
}

#[test]
fn shape() {
    let sole = |text: &str| parsed(text).sole_field().map(|p| p.join("."));
    assert_eq!(sole("{{ .a.b }}").as_deref(), Some("a.b"));
    assert_eq!(sole(" \n{{- .a -}} ").as_deref(), Some("a"));
    for text in [
        "x{{ .a }}",
        "{{ $.a }}",
        "{{ (.a) }}",
        "{{ .a | print }}",
        "{{ . }}",
        "{{ .a }}{{ .b }}",
        "",
        "{{/**/}}{{ .a }}",
    ] {
        assert_eq!(sole(text), None, "{text}");
    }
    assert!(parsed("a } { b").is_plain());
    assert!(!parsed("{{/**/}}").is_plain());
    let alone = |text: &str| parsed(text).is_self_contained();
    assert!(alone("a {{- .a -}} b") && alone("{{ if $x := .a }}{{ end }}") && alone("{{ range $x := .a }}{{ end }}"));
    for text in ["{{- .a }}", "{{ .a -}}", " {{- .a }}x", "{{ .a -}} ", "{{ $x := 1 }}", "{{ print ($x := 1) }}"] {
        assert!(!alone(text), "{text}");
    }
    assert!(!alone("{{ define `a` }}{{ end }}") && !alone("{{ block `a` . }}{{ end }}") && !alone("{{- /* */ -}}"));
}

#[test]
fn other_delimiters() {
    let template =
        parse("{{ [[ .s ]] [[- .i -]] x", &TemplateOptions { left: "[[", right: "]]", functions: &Builtins }).unwrap();
    let out = template.execute(&data(), MissingKey::Error, &Builtins).unwrap();
    assert_eq!(out.text, "{{ abc3x");
}

#[test]
fn changed_maps_are_seen() {
    assert_eq!(render("{{ $d := dict }}{{ $_ := set $d `a` 1 }}{{ $d.a }}", MissingKey::Error), Ok("1".to_owned()));
}

#[test]
fn limits() {
    let nested = |n: usize| format!("{}x{}", "{{ if true }}".repeat(n), "{{ end }}".repeat(n));
    assert_eq!(render(&nested(190), MissingKey::Error), Ok("x".to_owned()));
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(5000), close.repeat(5000));
    for text in [
        nested(5000),
        format!("{{{{ {} }}}}", deep("(", ")")),
        format!("{{{{ {} }}}}", deep("print (", ")")),
        "{{ if false }}".to_owned() + &"{{ else if false }}".repeat(5000) + "{{ end }}",
        "{{ block `a` . }}".repeat(5000),
        "{{ define `a` }}{{ template `a` . }}{{ end }}{{ template `a` . }}".to_owned(),
        "{{ range 1000000000 }}{{ end }}".to_owned(),
        "{{ range 1000000000 }}{{ $.s }}{{ end }}".to_owned(),
        "{{ $x := `ab` }}{{ range 100 }}{{ $x = print $x $x }}{{ end }}".to_owned(),
        "{{ $x := list 1 }}{{ range 100 }}{{ $x = list $x $x }}{{ end }}{{ $x }}".to_owned(),
        "{{ $x := list 1 }}{{ range 1000000 }}{{ $x = list $x }}{{ end }}{{ $x }}".to_owned(),
    ] {
        assert!(render(&text, MissingKey::Error).is_err());
    }
}

proptest::proptest! {
    #![proptest_config(property_cases::cases(300))]

    #[test]
    fn never_panics(parts in proptest::collection::vec(proptest::sample::select(PARTS), 0..12), junk in ".{0,6}") {
        let text = parts.concat() + &junk + "}}";
        for text in [text.as_str(), &parts.concat(), &junk] {
            if let Ok(template) = parse(text, &TemplateOptions { left: "", right: "", functions: &Table }) {
                template.references();
                template.sole_field();
                if let Ok(out) = template.execute(&data(), MissingKey::Default, &Table) {
                    assert!(out.segments.is_sorted_by_key(|s| s.out));
                    assert_eq!(out.segments.first().map_or(0, |s| s.out), 0);
                }
            }
        }
    }
}

const PARTS: &[&str] = &[
    "{{",
    "}}",
    "{{- ",
    " -}}",
    "{",
    "}",
    " ",
    "\n",
    ".s",
    ".m.b",
    ".",
    "$",
    "$x",
    ":=",
    "=",
    ",",
    "|",
    "(",
    ")",
    "\"a\"",
    "`",
    "\"",
    "'",
    "1",
    "1.5",
    "-",
    "if",
    "else",
    "end",
    "range",
    "with",
    "define",
    "template",
    "block",
    "break",
    "{{ end }}",
    "{{ if .t }}",
    "{{ range .l }}",
    "{{ else }}",
    "{{ $x := env }}",
    "{{ if env }}",
    "print",
    "index .l 1",
    "é",
    "/*",
    "*/",
];
