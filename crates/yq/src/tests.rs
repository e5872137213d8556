//! Expressions with the output of the real evaluator; `None` means an error.

use super::QueryError;
use traced_value::{Data, Value, json};

const DOCUMENT: &str = r#"{"name": "api", "size": 3, "rate": 2.5, "note": null, "on": true, "off": false, "none": [], "void": {}, "text": "one\ntwo\n", "code": "042",
 "zones": ["a", "b", "c"], "counts": [4, 1, 3, 1], "mixed": ["x", null, 2, true], "deep": [[1, [2]], 3],
 "net": {"cidr": {"v4": "10.0.0.0/8"}, "ports": [80, 443]}, "team": [{"id": "ann", "age": 41, "roles": ["dev"]}, {"id": "ben", "age": 27}, {"id": "cat", "age": 41}],
 "a key": "s", "dot.key": "d", "limits": {"cpu": 2, "mem": 512}}"#;

/// What is printed within more steps than any of these takes.
fn print(value: &Value, expression: &str) -> Result<String, QueryError> {
    super::print(value, expression, &mut 5_000_000)
}

fn document() -> Value {
    json::parse(DOCUMENT).unwrap()
}

fn check(rows: &[(&str, &str)]) {
    let document = document();
    for (expression, want) in rows {
        let got = print(&document, expression);
        match &got {
            Ok(text) => assert_eq!(text, want, "{expression}"),
            Err(QueryError::Bad(_)) => assert_eq!(*want, "refused", "{expression}: {got:?}"),
            Err(_) => panic!("{expression}: {got:?}"),
        }
    }
}

#[test]
fn paths() {
    check(&[
        (".name", "api\n"),
        (".nope", "null\n"),
        (".nope.deeper", "null\n"),
        (".nope[]", ""),
        (".name.x", ""),
        (".zones[0]", "a\n"),
        (".zones[-1]", "c\n"),
        (".zones[-4]", "refused"),
        (".zones[5]", "null\n"),
        (".zones.a", "refused"),
        (".zones.a?", ""),
        (".zones[\"a\"]?", ""),
        (".zones[]", "a\nb\nc\n"),
        (".[\"a key\"]", "s\n"),
        (".\"dot.key\"", "d\n"),
        (".net.cidr.v4", "10.0.0.0/8\n"),
        (".net[\"cidr\"].v4", "10.0.0.0/8\n"),
        (".net.*.v4", "refused"),
        (".n*e", "api\n[]\nnull\n"),
        (".counts | .[1:3]", "- 1\n- 3\n"),
        (".counts | .[-2:]", "- 3\n- 1\n"),
        (".counts | .[:1]", "- 4\n"),
        (".counts.[1:]", "- 1\n- 3\n- 1\n"),
        (".net.ports[0:1]", "!!map\n- cidr\n"),
        (
            ".net | ..",
            "cidr:\n  v4: 10.0.0.0/8\nports:\n  - 80\n  - 443\nv4: 10.0.0.0/8\n10.0.0.0/8\n- 80\n- 443\n80\n443\n",
        ),
        (".limits | ...", "cpu: 2\nmem: 512\ncpu\n2\nmem\n512\n"),
        (".size, .name", "3\napi\n"),
        (
            ".net | ., .",
            "cidr:\n  v4: 10.0.0.0/8\nports:\n  - 80\n  - 443\na key: s\ncode: \"042\"\ncounts:\n  - 4\n  - 1\n  - 3\n  - 1\ndeep:\n  - - 1\n    - - 2\n  - 3\ndot.key: d\nlimits:\n  cpu: 2\n  mem: 512\nmixed:\n  - x\n  - null\n  - 2\n  - true\nname: api\nnet:\n  cidr:\n    v4: 10.0.0.0/8\n  ports:\n    - 80\n    - 443\nnone: []\nnote: null\n\"off\": false\n\"on\": true\nrate: 2.5\nsize: 3\nteam:\n  - age: 41\n    id: ann\n    roles:\n      - dev\n  - age: 27\n    id: ben\n  - age: 41\n    id: cat\ntext: |\n  one\n  two\nvoid: {}\nzones:\n  - a\n  - b\n  - c\n",
        ),
        (".net.ports[0, 1]", "80\n443\n"),
        ("[.. | select(tag == \"!!int\")] | length", "16\n"),
        (".deep[0][1][0]", "2\n"),
        (".team[].id", "ann\nben\ncat\n"),
        (".limits | keys | .[1]", "mem\n"),
    ]);
}

#[test]
fn arithmetic() {
    check(&[
        (".size + 1", "4\n"),
        (".size -1", "refused"),
        (".size - 1", "2\n"),
        (".size * 2.5", "7.5\n"),
        (".size / 2", "1.5\n"),
        ("[.size / 3]", "- !!float 1\n"),
        (".size % 2", "1\n"),
        (".size % 0", "refused"),
        (".size / 0", "+Inf\n"),
        ("1e3 + 1", "1001\n"),
        ("0x1F + 1", "0x20\n"),
        (".name + \"-x\"", "api-x\n"),
        (".name + .size", "api3\n"),
        (".note + \"x\"", "x\n"),
        (".name - \"a\"", "refused"),
        (".name * 2", "apiapi\n"),
        ("\"a,b\" / \",\"", "- a\n- b\n"),
        (".zones + [\"d\"]", "- a\n- b\n- c\n- d\n"),
        (".zones + \"d\"", "- a\n- b\n- c\n- d\n"),
        (".counts - [1]", "- 4\n- 3\n"),
        (".limits + {\"cpu\": 4}", "cpu: 4\nmem: 512\n"),
        (".limits * {\"io\": 1}", "cpu: 2\nmem: 512\nio: 1\n"),
        (".net * {\"cidr\": {\"v6\": \"::\"}} | keys", "- cidr\n- ports\n"),
        (".net *+ {\"ports\": [22]} | .ports", "- 80\n- 443\n- 22\n"),
        (".counts *d [9]", "- 9\n- 1\n- 3\n- 1\n"),
        (".limits *n {\"cpu\": 9, \"io\": 1}", "cpu: 2\nmem: 512\nio: 1\n"),
        (".limits *? {\"io\": 1}", "cpu: 2\nmem: 512\n"),
        (".zones * 2", "refused"),
        (".limits - 1", "refused"),
        ("1 / 3", "0.3333333333333333\n"),
        (".rate * 2", "5\n"),
        ("[.rate * 2]", "- !!float 5\n"),
    ]);
}

#[test]
fn comparison() {
    check(&[
        (".size == 3", "true\n"),
        (".size == \"3\"", "true\n"),
        (".size != 3", "false\n"),
        (".name == \"a*\"", "true\n"),
        (".nope == null", "true\n"),
        (".size > 2", "true\n"),
        (".size >= .rate", "true\n"),
        (".name < \"b\"", "true\n"),
        (".name > 1", "refused"),
        (".zones > 1", "refused"),
        (".on and .off", "false\n"),
        (".on or .nope", "true\n"),
        (".off | not", "true\n"),
        (".nope // \"d\"", "d\n"),
        (".off // \"d\"", "d\n"),
        (".none[] // \"e\"", "e\n"),
        (".nope // .note // 1", "1\n"),
        (".zones | contains([\"b\"])", "true\n"),
        (".name | contains(\"p\")", "true\n"),
        (".zones | contains(\"b\")", "refused"),
        (".net | has(\"ports\")", "true\n"),
        (".zones | has(2)", "true\n"),
        (".zones | has(3)", "false\n"),
    ]);
}

#[test]
fn collections() {
    check(&[
        (".zones | length", "3\n"),
        (".note | length", "0\n"),
        ("length", "19\n"),
        (".limits | to_entries", "- key: cpu\n  value: 2\n- key: mem\n  value: 512\n"),
        (".zones | to_entries | .[0]", "key: 0\nvalue: a\n"),
        (".limits | with_entries(.key |= \"x_\" + .)", "x_cpu: 2\nx_mem: 512\n"),
        (".limits | with_entries(select(.value > 2))", "mem: 512\n"),
        (".limits | to_entries | from_entries", "cpu: 2\nmem: 512\n"),
        (".team | map(.id)", "- ann\n- ben\n- cat\n"),
        (".team[] | select(.age == 41) | .id", "ann\ncat\n"),
        (".team | map(select(.age < 40)) | length", "1\n"),
        (".team | filter(.age < 40) | .[].id", "ben\n"),
        (".limits | map_values(. + 1)", "cpu: 3\nmem: 513\n"),
        (".counts | sort", "- 1\n- 1\n- 3\n- 4\n"),
        (".mixed | sort", "- null\n- true\n- 2\n- x\n"),
        (".team | sort_by(.age) | .[].id", "ben\nann\ncat\n"),
        (".team | group_by(.age) | map(length)", "- 2\n- 1\n"),
        (".team | unique_by(.age) | map(.id)", "- ann\n- ben\n"),
        (".counts | unique", "- 4\n- 1\n- 3\n"),
        (".counts | reverse", "- 1\n- 3\n- 1\n- 4\n"),
        (".counts | min", "1\n"),
        (".counts | max", "4\n"),
        (".deep | flatten", "- 1\n- 2\n- 3\n"),
        (".deep | flatten(1)", "- 1\n- - 2\n- 3\n"),
        (".counts | first(. < 4)", "1\n"),
        ("first", "a key\n"),
        (".zones | first", "refused"),
        (".counts | any_c(. > 3)", "true\n"),
        (".counts | all_c(. > 3)", "false\n"),
        (".mixed | any", "true\n"),
        (".size | any", "refused"),
        (".limits | pick([\"mem\"])", "mem: 512\n"),
        (".limits | omit([\"mem\"])", "cpu: 2\n"),
        (".counts | pick([0, 2])", "- 4\n- 3\n"),
        ("sort_keys(.limits) | .limits", "cpu: 2\nmem: 512\n"),
        ("{\"n\": .name, \"z\": .zones[0]}", "n: api\nz: a\n"),
        ("{(.name): 1}", "api: 1\n"),
        ("{name: .size}", "refused"),
        ("{\"z\": .zones[]}", "z: a\nz: b\nz: c\n"),
        ("{}", "{}\n"),
        ("[.none, .void]", "- []\n- {}\n"),
        ("[.zones[] | upcase]", "- A\n- B\n- C\n"),
        (".none", "[]\n"),
        (".name | keys", "refused"),
    ]);
}

#[test]
fn texts() {
    check(&[
        (".zones | join(\"-\")", "a-b-c\n"),
        (".mixed | join(\",\")", "x,,2,true\n"),
        ("\"a-b\" | split(\"-\")", "- a\n- b\n"),
        (".name | split(\"\")", "- a\n- p\n- i\n"),
        (".name | test(\"^a\")", "true\n"),
        (".name | test(\"[\")", "refused"),
        (".name | match(\"p\")", "string: p\noffset: 1\nlength: 1\ncaptures: []\n"),
        (".name | capture(\"(?P<first>a)(?P<rest>.*)\")", "first: a\nrest: pi\n"),
        (".name | sub(\"p(.)\", \"$1\")", "ai\n"),
        (".size | sub(\"a\", \"b\")", "refused"),
        (".name | upcase", "API\n"),
        (".name | ascii_downcase", "refused"),
        ("\" x \" | trim", "x\n"),
        (".code | to_number", "042\n"),
        ("[.code | to_number]", "- 042\n"),
        (".name | to_number", "refused"),
        ("[.size | to_string]", "- \"3\"\n"),
        (".limits | to_string", "cpu: 2\nmem: 512\n"),
        ("\"\\(.name)-\\(.size + 1)\"", "api-4\n"),
        ("\"\\(.limits)\"", "cpu: 2\nmem: 512\n"),
        (".limits | @json", "{\"cpu\":2,\"mem\":512}\n"),
        (".limits | to_json", "{\n  \"cpu\": 2,\n  \"mem\": 512\n}\n\n"),
        (".name | @base64", "YXBp\n"),
        ("\"a b&c\" | @uri", "a+b%26c\n"),
        ("\"it's\" | @sh", "it\\'s\n"),
        (".text", "one\ntwo\n\n"),
        ("[.text]", "- |\n  one\n  two\n"),
        (".net | to_yaml", "cidr:\n  v4: 10.0.0.0/8\nports:\n  - 80\n  - 443\n\n"),
    ]);
}

#[test]
fn changes() {
    check(&[
        (".size = 4 | .size", "4\n"),
        (".size |= . + 1 | .size", "4\n"),
        (".size += 2 | .size", "5\n"),
        (".new.deep = 1 | .new", "deep: 1\n"),
        (".zones[1] = \"z\" | .zones", "- a\n- z\n- c\n"),
        (".zones[4] = \"z\" | .zones", "- a\n- b\n- c\n- null\n- z\n"),
        (".counts[] |= . * 2 | .counts", "- 8\n- 2\n- 6\n- 2\n"),
        (".name = 5 | [.name]", "- 5\n"),
        (".code = 5 | [.code]", "- 5\n"),
        (".size = \"5\" | [.size]", "- \"5\"\n"),
        (".size style=\"double\" | [.size]", "- \"3\"\n"),
        ("(.size | tag) = \"!!str\" | [.size]", "- 3\n"),
        ("... comments=\"\" | .size", "3\n"),
        ("del(.zones[0]) | .zones", "- b\n- c\n"),
        ("del(.team[] | select(.age == 41)) | .team", "- age: 27\n  id: ben\n"),
        ("del(.net.cidr) | .net", "ports:\n  - 80\n  - 443\n"),
        ("setpath([\"limits\", \"cpu\"]; 9) | .limits", "cpu: 9\nmem: 512\n"),
        ("delpaths([[\"limits\", \"cpu\"]]) | .limits", "mem: 512\n"),
        ("with(.limits; .cpu = 1) | .limits", "cpu: 1\nmem: 512\n"),
        (".limits *= {\"io\": 1} | .limits", "cpu: 2\nmem: 512\nio: 1\n"),
        (".zones += [\"d\"] | .zones", "- a\n- b\n- c\n- d\n"),
        (
            "(.limits.cpu = 1), (.limits.mem = 2) | .limits",
            "a key: s\ncode: \"042\"\ncounts:\n  - 4\n  - 1\n  - 3\n  - 1\ndeep:\n  - - 1\n    - - 2\n  - 3\ndot.key: d\nlimits:\n  cpu: 1\n  mem: 2\nmixed:\n  - x\n  - null\n  - 2\n  - true\nname: api\nnet:\n  cidr:\n    v4: 10.0.0.0/8\n  ports:\n    - 80\n    - 443\nnone: []\nnote: null\n\"off\": false\n\"on\": true\nrate: 2.5\nsize: 3\nteam:\n  - age: 41\n    id: ann\n    roles:\n      - dev\n  - age: 27\n    id: ben\n  - age: 41\n    id: cat\ntext: |\n  one\n  two\nvoid: {}\nzones:\n  - a\n  - b\n  - c\ncpu: 1\nmem: 2\n",
        ),
    ]);
}

#[test]
fn variables_and_places() {
    check(&[
        (".size as $n | $n + $n", "6\n"),
        (".counts[] as $c ireduce (0; . + $c)", "9\n"),
        (".size as $n | .counts | map(. + $n)", "- 7\n- 4\n- 6\n- 4\n"),
        (".team[] as $t | $t.id", "ann\nben\ncat\n"),
        (".net.cidr | path", "- net\n- cidr\n"),
        (".counts[1] | path", "- counts\n- 1\n"),
        (".net.cidr | key", "cidr\n"),
        (".net.cidr.v4 | parent(2) | keys", "- cidr\n- ports\n"),
        (".net.cidr | root | length", "19\n"),
        ("[.[] | type] | unique", "- '!!str'\n- '!!seq'\n- '!!map'\n- '!!null'\n- '!!bool'\n- '!!float'\n- '!!int'\n"),
        (".net | kind", "map\n"),
        ("eval(\".size\")", "3\n"),
    ]);
}

#[test]
fn errors() {
    check(&[
        (".a | | .b", "refused"),
        ("(.a", "refused"),
        ("[.a", "refused"),
        (".a]", "refused"),
        ("foo", "refused"),
        (".a foo", "refused"),
        ("1 2", "refused"),
        ("error(\"stop\")", "refused"),
        ("\"open", "refused"),
        (".name | ascii", "refused"),
    ]);
}

#[test]
fn beyond_what_is_evaluated() {
    for expression in ["env(HOME)", "load(\"x\")", ".size | line", "now", "[[1]] | pivot", ".text | from_yaml"] {
        let got = print(&document(), expression);
        assert!(matches!(got, Err(QueryError::Unsupported(_))), "{expression}: {got:?}");
    }
    // Code that is never reached does no harm.
    assert_eq!(print(&document(), ".name // env(HOME)").as_deref(), Ok("api\n"));
}

#[test]
fn dates_keep_their_meaning() {
    let time = spanned_yaml::Timestamp { seconds: 1_614_816_000, nanos: 0, offset: 0 };
    let value = Value::new(Data::Time(time.into()));
    assert_eq!(print(&value, ".").as_deref(), Ok("2021-03-04T00:00:00Z\n"));
    assert_eq!(print(&value, "type").as_deref(), Ok("!!timestamp\n"));
}

#[test]
fn bounded() {
    let document = document();
    for expression in [
        "(".repeat(100_000),
        format!("{}.a", "[".repeat(500)),
        ".zones[99999999999]".to_owned(),
        format!(".name{}", " | . + .".repeat(60)),
        ".counts[] as $a | .counts[] as $b ireduce (.; . * {\"x\": .})".to_owned(),
        format!(".x{}", " | .a = . ".repeat(140)),
        format!("{}.size{}", "\"\\(".repeat(200), ")\"".repeat(200)),
        ".name * 9999999".to_owned(),
        format!("[{}1]", "1,".repeat(5000)),
        format!("{}.{}", "(. | ".repeat(110), ")".repeat(110)),
        format!("{}.{} | .. | to_yaml", "[".repeat(110), "]".repeat(110)),
        format!("{}1{}", "map(".repeat(110), ")".repeat(110)),
    ] {
        let _ = print(&document, &expression);
    }
    let deep = (0..5000).fold(Value::default(), |inner, _| Value::list(vec![inner]));
    assert!(matches!(print(&deep, ".."), Err(QueryError::Unsupported(_))));
    std::mem::forget(deep);
    let deep = (0..199).fold(Value::default(), |inner, _| Value::list(vec![inner]));
    for expression in
        ["[..] | @json", ". + . | unique | length", ". == .", "[., .] | unique | contains([1])", ". *d . | flatten"]
    {
        let _ = print(&deep, expression);
    }
}

#[test]
fn work_is_counted_and_ends() {
    let keys: traced_value::Map = (0..3_000).map(|i| (format!("k{i}").into(), Value::new(Data::Int(i)))).collect();
    let list = Value::list((0..3_000).map(|i| Value::new(Data::Int(i))).collect());
    let text = Value::str("ab".repeat(50_000));
    let map = Value::map(keys);
    for (value, expression) in [
        (&map, "[keys[] as $k | .[$k]]"),
        (&map, "keys[] as $k ireduce (.; .[$k] = 1)"),
        (&map, "[keys[] as $k | has($k)]"),
        (&map, ". * ."),
        (&map, "pick(keys)"),
        (&map, "omit(keys)"),
        (&map, "del(.[])"),
        (&map, "[.[] | parent | contains({\"k1\": 1})]"),
        (&map, "[.[] | parent | to_yaml | length]"),
        (&map, "[.[] | parent | @json | length]"),
        (&map, "[.[] | parent | sort_keys(.) | length]"),
        (&list, "contains(.)"),
        (&list, ". - ."),
        (&list, "[.[] | parent | sort | .[0]]"),
        (&list, "[.[] | parent | min]"),
        (&list, "[.[] | parent | .[]] | length"),
        (&list, "[.[] | test(\"(a|b){900}\")]"),
        (&list, "[.[] | \"\\(1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1)\"]"),
        (&text, ". == \"*a*b*c\""),
        (&text, "[match(\"(b+b)+c\")]"),
        (&text, "[., ., ., ., ., ., ., .] | map(contains(\"bb\"))"),
    ] {
        let mut left = 30_000;
        assert_eq!(super::print(value, expression, &mut left), Err(QueryError::TooMuch), "{expression}");
        assert_eq!(left, 0, "{expression}");
    }
    let mut left = 10_000;
    assert!(super::print(&map, ".k1", &mut left).is_err() && left == 0, "a document is part of the work");
    let mut left = 10_000;
    assert_eq!(super::print(&document(), ".name", &mut left).as_deref(), Ok("api\n"));
    assert!((9_800..10_000).contains(&left), "{left}");
}

proptest::proptest! {
    #![proptest_config(property_cases::cases(300))]

    #[test]
    fn never_panics(words in proptest::collection::vec(proptest::sample::select(WORDS), 1..9)) {
        let _ = print(&document(), &words.concat());
    }
}

const WORDS: &[&str] = &[
    ".",
    ".zones",
    ".counts",
    ".net",
    ".name",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    " | ",
    ", ",
    " + ",
    " * ",
    " - ",
    " / ",
    " // ",
    " = ",
    " |= ",
    " += ",
    " == ",
    " as $x | ",
    "$x",
    "[]",
    "[0]",
    "[1:2]",
    ":",
    "..",
    "...",
    "map(",
    "select(",
    "del(",
    "sort",
    "sort_by(",
    "keys",
    "length",
    "to_entries",
    "with_entries(",
    "from_entries",
    "flatten",
    "first(",
    "path",
    "parent",
    "\"a\"",
    "1",
    "-1",
    "null",
    "true",
    "not",
    "split(",
    "join(",
    "sub(\"a\"; \"b\")",
    "group_by(",
    "unique",
    "any",
    "min",
    "ireduce(",
    ";",
    "pick(",
    "@json",
    "has(",
];
