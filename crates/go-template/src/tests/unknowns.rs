//! Unknown values, references, and how the output relates to the source.

use super::*;
use std::sync::Arc;
use traced_value::{FileId, Origin, Unknown};

/// The output for data with something unknown, and the parts of it that are.
fn partly(text: &str) -> (String, Vec<String>) {
    let unknown = |r: &str| Value::new(Data::Unknown(Arc::new(Unknown::new(r, r))));
    let data = map([
        ("k", Value::str("v")),
        ("u", unknown("one")),
        ("w", unknown("two")),
        ("m", map([("a", int(1)), ("u", unknown("deep"))])),
        ("l", Value::list(vec![int(1), unknown("item")])),
    ]);
    let out = parsed(text).execute(&data, MissingKey::Error, &Table).unwrap();
    let unknowns = out.unknowns.iter().map(|(span, unknown)| {
        assert_eq!(&out.text[span.clone()], &*unknown.text);
        unknown.reasons.join("+")
    });
    (out.text.clone(), unknowns.collect())
}

/// Text that is cut inside of a character stays apart from other unknown values as long as it is printed as it is.
#[test]
fn text_that_is_no_utf8() {
    use crate::FunctionSet;
    let functions = FunctionSet { sprig: true, gomplate: true, host: None };
    for (text, is_printed, want) in [
        ("{{ trunc 2 .t }}", true, ""),
        ("{{ trunc 3 .t }}", false, "aé"),
        ("{{ trunc -1 .t }}", false, "b"),
        ("{{ substr 0 2 .t }}", true, ""),
        ("x{{ trunc 2 .t }}", true, ""),
        ("{{ trunc -2 .t | trimSuffix `b` }}", true, ""),
        ("{{ abbrev 5 .long }}", true, ""),
        ("{{ strings.Trunc 2 .t }}", true, ""),
        ("{{ `/w==` | b64dec }}", true, ""),
        (r#"{{ "\xff" }}"#, true, ""),
        ("{{ list (trunc 2 .t) }}", false, "{{ list (trunc 2 .t) }}"),
        ("{{ $x := trunc 2 .t }}{{ $x }}", true, ""),
        // A value computed from it need not be like it.
        ("{{ trunc 2 .t | len }}", false, "{{ trunc 2 .t | len }}"),
        ("{{ trunc 2 .t | toJson }}", false, "{{ trunc 2 .t | toJson }}"),
        ("{{ if trunc 2 .t }}yes{{ end }}", false, "{{ if trunc 2 .t }}yes{{ end }}"),
        ("{{ $x := trunc 2 .t }}", false, ""),
    ] {
        let template = parse(text, &TemplateOptions { left: "", right: "", functions: &functions }).unwrap();
        let data = map([("t", Value::str("aéb")), ("long", Value::str("aéb and more"))]);
        let out = template.execute(&data, MissingKey::Error, &functions).unwrap();
        assert_eq!(out.not_utf8().is_some(), is_printed, "{text}: {out:?}");
        if !is_printed {
            assert_eq!(out.text, want, "{text}");
        }
    }
}

#[test]
fn unknown_values() {
    for (text, want, reasons) in [
        ("a{{ .u }}b{{ .k }}", "a{{ .u }}bv", vec!["one"]),
        ("a {{- .u.x.y | upper -}} b", "a{{- .u.x.y | upper -}}b", vec!["one"]),
        ("{{ printf `%s%s` .u .w }}", "{{ printf `%s%s` .u .w }}", vec!["one+two"]),
        ("{{ env }}", "{{ env }}", vec!["`env` reads the environment"]),
        ("{{ .m.a }}{{ .m }}", "1{{ .m }}", vec!["deep"]),
        ("{{ len .m }}{{ index .l 0 }}{{ len .l }}", "212", vec![]),
        ("{{ range .l }}{{ . }}{{ end }}", "1{{ . }}", vec!["item"]),
        ("{{ if .u }}a{{ .zzz }}{{ end }}b", "{{ if .u }}a{{ .zzz }}{{ end }}b", vec!["one"]),
        ("{{ if .m }}a{{ end }}", "a", vec![]),
        ("{{ if eq .k `a` `b` }}a{{ else }}b{{ end }}", "b", vec![]),
        ("{{ if and .u false }}a{{ else }}b{{ end }}", "b", vec![]),
        ("{{ if or .u true }}a{{ else }}b{{ end }}", "a", vec![]),
        ("{{ if not (or .u true) }}a{{ else }}b{{ end }}", "b", vec![]),
        ("{{ if and .u .w }}a{{ end }}", "{{ if and .u .w }}a{{ end }}", vec!["one+two"]),
        ("{{ if and .u .zzz }}a{{ end }}", "{{ if and .u .zzz }}a{{ end }}", vec!["one"]),
        ("{{ or .k .u }}{{ and `` .u }}", "v", vec![]),
        ("{{ eq .k `v` .u }}", "true", vec![]),
        ("{{ default `d` .u }}", "{{ default `d` .u }}", vec!["one"]),
        ("{{ $x := .u }}{{ $x }}", "{{ $x }}", vec!["one"]),
        (
            "{{ $x := 1 }}{{ if .u }}{{ $x = 2 }}{{ end }}{{ $x }}",
            "{{ if .u }}{{ $x = 2 }}{{ end }}{{ $x }}",
            vec!["one", "one"],
        ),
        ("{{ if false }}{{ else if .u }}a{{ end }}", "{{if .u }}a{{ end }}", vec!["one"]),
        ("{{ range .u }}a{{ end }}", "{{ range .u }}a{{ end }}", vec!["one"]),
        // The second element decides whether the loop continues: all of it stays as written.
        (
            "x{{ range .l }}a{{ if . }}{{ continue }}{{ end }}b{{ end }}y",
            "x{{ range .l }}a{{ if . }}{{ continue }}{{ end }}b{{ end }}y",
            vec!["item"],
        ),
        ("{{ with .u }}{{ .x }}{{ end }}", "{{ with .u }}{{ .x }}{{ end }}", vec!["one"]),
        (
            "{{ range 2 }}a{{ if $.u }}{{ break }}{{ end }}{{ end }}",
            "{{ range 2 }}a{{ if $.u }}{{ break }}{{ end }}{{ end }}",
            vec!["one"],
        ),
    ] {
        let (got, why) = partly(text);
        assert_eq!(got, want, "{text}");
        assert_eq!(why, reasons, "{text}");
    }
}

#[test]
fn references() {
    let list = |text: &str| {
        let found = parsed(text).references();
        let show = |r: &Reference| {
            format!("{}{} {}", r.path.join("."), if r.guarded { "?" } else { "" }, &text[r.span.clone()])
        };
        found.iter().map(show).collect::<Vec<_>>().join("; ")
    };
    for (text, want) in [
        ("{{ .locals.x.y }}", "locals.x.y .locals.x.y"),
        ("{{ $.a }}{{ (.b).c }}", "a $.a; b.c (.b).c"),
        ("{{ index .locals \"x\" \"y\" }}", "locals.x.y? index .locals \"x\" \"y\""),
        ("{{ (index .locals \"x\").y }}", "locals.x.y (index .locals \"x\").y"),
        ("{{ index .locals .k }}", "locals? .locals; k? .k"),
        ("{{ with .locals }}{{ .x }}{{ $.z }}{{ else }}{{ .y }}{{ end }}", "locals? .locals; locals.x .x; z $.z; y .y"),
        ("{{ range $i, $e := .vars.list }}{{ .x }}{{ $e.y }}{{ $.q }}{{ end }}", "vars.list .vars.list; q $.q"),
        ("{{ $v := .vars }}{{ $v.a }}", "vars .vars; vars.a $v.a"),
        ("{{ .a | default .b }}", "a? .a; b? .b"),
        ("{{ default \"x\" .a }}{{ upper .a }}", "a? .a; a .a"),
        ("{{ if .a.b }}{{ .a.b }}{{ .a.c }}{{ else }}{{ .a.b }}{{ end }}", "a.b? .a.b; a.b? .a.b; a.c .a.c; a.b .a.b"),
        ("{{ if not .a }}{{ else }}{{ .a }}{{ end }}", "a? .a; a? .a"),
        ("{{ define \"t\" }}{{ .x }}{{ end }}{{ template \"t\" .m }}", "m.x .x; m .m"),
        ("{{ define \"t\" }}{{ template \"t\" . }}{{ .x }}{{ end }}{{ template \"t\" . }}", "x .x"),
    ] {
        assert_eq!(list(text), want, "{text}");
    }
}

#[test]
fn what_is_read_as_a_whole() {
    for (text, want, complete) in [
        ("{{ .a.b }}", "a.b", true),
        ("{{ len . }}", "", true),
        ("{{ index .a \"b\" }}{{ index .a .k }}", "a; k", true),
        ("{{ with .a }}{{ .b }}{{ end }}", "a.b", true),
        ("{{ with .a }}{{ . }}{{ end }}", "a", true),
        ("{{ $v := .a }}{{ $v.b }}", "a.b", true),
        ("{{ range $k, $v := .a }}{{ $v }}{{ end }}", "a", true),
        ("{{ range .a }}{{ . }}{{ end }}", "a", true),
        ("{{ (.a).b }}", "a.b", true),
        ("{{ define \"t\" }}{{ .x }}{{ end }}{{ template \"t\" . }}", "x", true),
        ("{{ define \"t\" }}{{ .x }}{{ end }}", "", false),
        ("{{ template \"elsewhere\" .a }}", "a", true),
    ] {
        let template = parsed(text);
        let reads = template.reads();
        let whole: Vec<String> = reads.whole.iter().map(|p| p.join(".")).collect();
        assert_eq!((whole.join("; ").as_str(), reads.complete), (want, complete), "{text}");
    }
}

#[test]
fn fields_as_they_stand_there() {
    for (text, want) in [
        ("{{ with .a }}{{ .b.c }}{{ end }}{{ $.d }}", "a; b.c"),
        ("{{ (.a).b }}{{ index .c \"d\" }}", "c"),
        ("{{ print (.a | printf .b) }}", "a; b"),
        ("{{ define \"t\" }}{{ .x }}{{ end }}{{ template \"t\" .m }}", "m"),
        ("{{ if .a }}{{ else }}{{ range .b }}{{ end }}{{ end }}", "a; b"),
    ] {
        let template = parsed(text);
        let found: Vec<String> = template.lexical_fields().iter().map(|p| p.join(".")).collect();
        assert_eq!(found.join("; "), want, "{text}");
    }
}

#[test]
fn segments_and_inputs() {
    let at = |n: u32| Origin { file: FileId::new(1), key: n, start: n, end: n + 1 };
    let data = map([
        ("a", Value::at(Data::Str("xyz".into()), at(1))),
        ("b", Value::at(Data::List(Arc::new(vec![Value::at(Data::Int(7), at(3))])), at(2))),
        ("c", Value::at(Data::Int(1), at(4))),
    ]);
    let out = parsed("p {{ .a }}q{{ .a }}{{ range .b }}{{ . }},{{ end }}")
        .execute(&data, MissingKey::Error, &Builtins)
        .unwrap();
    assert_eq!(out.text, "p xyzqxyz7,");
    let segments: Vec<_> = out.segments.iter().map(|s| (s.out, s.src, s.literal)).collect();
    assert_eq!(segments, [(0, 0, true), (2, 2, false), (5, 10, true), (6, 11, false), (9, 33, false), (10, 40, true)]);
    let starts: Vec<_> = out.inputs.iter().filter_map(|p| p.origin.map(|o| o.start)).collect();
    assert_eq!(starts, [1, 2, 3]);
}
