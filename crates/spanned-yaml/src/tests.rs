//! Tests that cross the parts of this room.

use shared_text::Text;

use proptest::prelude::*;

use super::node::Position;
use super::*;

fn spans(text: &str) -> Vec<String> {
    let document = parse(text.as_bytes()).unwrap();
    let shown = |node: &Node| {
        let letter = match node.kind {
            NodeKind::Scalar { .. } => "",
            NodeKind::Sequence(_) => "S ",
            NodeKind::Mapping(_) => "M ",
            NodeKind::Alias { .. } => "A ",
        };
        let slice = |span: Span| document.text()[span.start as usize..span.end as usize].to_owned();
        let tag = node.tag.as_ref().map(|tag| format!("<{}>", slice(tag.span))).unwrap_or_default();
        format!("{letter}{tag}{}", slice(node.span))
    };
    document.nodes().map(|(_, node)| shown(node)).collect()
}

#[test]
fn spans_cover_tokens() {
    for (text, expected) in [
        ("a: 'b'\n", &["M a: 'b'", "a", "'b'"][..]),
        (
            "a:\n  - 1\n  - b\n\n# end\nc:\n",
            &["M a:\n  - 1\n  - b\n\n# end\nc:", "a", "S - 1\n  - b", "1", "b", "c", ""],
        ),
        (
            "a: !env FOO\nb: &x\n  # note\n  c: d\n",
            &["M a: !env FOO\nb: &x\n  # note\n  c: d", "a", "<!env>FOO", "b", "M c: d", "c", "d"],
        ),
        ("a: [1, {b: 2}]\n", &["M a: [1, {b: 2}]", "a", "S [1, {b: 2}]", "1", "M {b: 2}", "b", "2"]),
        ("a: &x 1\nb: *x\n", &["M a: &x 1\nb: *x", "a", "1", "b", "A *x"]),
        (
            "a: |\n  x\n  y\n\nb: \"\\u00e9\"\n",
            &["M a: |\n  x\n  y\n\nb: \"\\u00e9\"", "a", "|\n  x\n  y", "b", "\"\\u00e9\""],
        ),
        ("a: !<tag:x,y> &b  v\n", &["M a: !<tag:x,y> &b  v", "a", "<!<tag:x,y>>v"]),
        ("a: !append\n- x\n", &["M a: !append\n- x", "a", "S <!append>- x", "x"]),
        ("a: !!null\nb: ''\n", &["M a: !!null\nb: ''", "a", "<!!null>", "b", "''"]),
    ] {
        assert_eq!(spans(text), expected, "{text}");
    }
}

#[test]
fn positions_count_characters() {
    let document = parse("\u{feff}é: 1\r\nb: x\rc: 🚀 y\n".as_bytes()).unwrap();
    let at = |needle: &str| document.position(document.text().find(needle).unwrap() as u32);
    assert_eq!(at("é"), Position { line: 1, column: 1 });
    assert_eq!(at("1"), Position { line: 1, column: 4 });
    assert_eq!(at("b:"), Position { line: 2, column: 1 });
    assert_eq!(at("y"), Position { line: 3, column: 6 });
    assert_eq!(document.position(u32::MAX), Position { line: 4, column: 1 });
}

#[test]
fn documents() {
    for (text, root, extra) in [
        ("", false, false),
        ("# only a comment\n", false, false),
        ("---\n", true, false),
        ("null\n", true, false),
        ("a: 1\n...\n", true, false),
        ("a: 1\n---\nb: [\n", true, true),
        ("a: 1\n---\n\u{7}", true, true),
        ("%YAML 1.1\n---\na: 1\n", true, false),
    ] {
        let document = parse(text.as_bytes()).unwrap();
        assert_eq!((document.root().is_some(), document.extra_documents), (root, extra), "{text:?}");
    }
    assert!(parse(b"a: 1\n---\nb: \xff\n").unwrap().extra_documents);
    assert_eq!(parse(b"\xff\xfea\0:\0 \x001\0").unwrap().len(), 3);
}

#[test]
fn keys_share_their_text() {
    for key in ["key".to_owned(), "key ".repeat(50).trim().to_owned()] {
        let document = parse(format!("a: {{{key}: 1}}\nb: {{{key}: 2}}\n").as_bytes()).unwrap();
        let keys: Vec<_> =
            document.nodes().filter_map(|(id, _)| document.scalar(id).filter(|text| ***text == *key)).collect();
        assert!(keys.len() == 2 && Text::ptr_eq(keys[0], keys[1]));
    }
}

#[test]
fn errors_in_the_words_of_the_reference() {
    for (text, message, line, column, reported) in [
        ("a: *x\n", "unknown anchor 'x' referenced", 1, 4, None),
        ("a: &x [*x]\n", "anchor 'x' value contains itself", 1, 8, None),
        ("a: 1\n b: 2\n", "mapping values are not allowed in this context", 2, 3, Some(2)),
        ("a: [1\nb: 2\n", "did not find expected ',' or ']'", 2, 2, Some(1)),
        ("a:\n- b\n c\n  d: e\n", "mapping values are not allowed in this context", 4, 4, Some(4)),
        ("x: y\nfoo\nbar\n", "could not find expected ':'", 2, 1, Some(2)),
        ("\na: 'x\n", "found unexpected end of stream", 2, 4, Some(2)),
        ("a: \"x\\/y\"\n", "found unknown escape character", 1, 6, None),
        ("%YAML 1.2\n---\na: 1\n", "found incompatible YAML document", 1, 1, None),
        ("a:\n\tb: 1\n", "found character that cannot start any token", 2, 1, Some(2)),
        ("a: [x?y]\n", "did not find expected ',' or ']'", 1, 6, None),
        ("a: \u{7}\n", "control characters are not allowed", 1, 4, None),
    ] {
        let error = parse(text.as_bytes()).unwrap_err();
        assert_eq!(error.message, message, "{text}");
        assert_eq!(error.position, Position { line, column }, "{text}");
        assert_eq!(error.reported_line, reported, "{text}");
    }
    let error = parse(b"a: b\nc: \xe2\x82 \n").unwrap_err();
    assert_eq!((error.message.as_str(), error.offset), ("invalid trailing UTF-8 octet", 10));
}

#[test]
fn what_only_the_reference_accepts() {
    for (text, expected) in [
        ("v: \"it\\'s \\\\ \\'x\\'\" # \\'\n", "it's \\ 'x'"),
        ("v: {a: b, v: c:}\n", "c:"),
        ("# one\n\t# two\nv: x\n", "x"),
    ] {
        let document = parse(text.as_bytes()).unwrap();
        let found = document.nodes().any(|(id, _)| document.scalar(id).is_some_and(|text| &**text == expected));
        assert!(found, "{text}");
    }
}

#[test]
fn hostile_inputs_end() {
    let bomb: String = (1..9)
        .map(|level| format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 9].join(",")))
        .collect();
    let error = parse(format!("a0: &a0 [x]\n{bomb}").as_bytes()).unwrap_err();
    assert_eq!(error.message, "document contains excessive aliasing");
    for text in ["- ".repeat(20_000), "[".repeat(20_000), "{a: ".repeat(11_000)] {
        assert_eq!(parse(text.as_bytes()).unwrap_err().message, "exceeded max depth of 10000");
    }
    // Each token of the many in the innermost list takes a look at all levels.
    let crowded = format!("{}{}{}", "[".repeat(9_900), "1,".repeat(300_000), "]".repeat(9_900));
    assert_eq!(parse(crowded.as_bytes()).unwrap_err().message, "too much is nested too deep in brackets");
    let deep = format!("{}{}", "[".repeat(9_999), "]".repeat(9_999));
    assert_eq!(parse(deep.as_bytes()).unwrap().len(), 9_999);
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
}

fn emit(emitter: &mut Emitter, value: &Value) {
    match value {
        Value::Null => drop(emitter.null()),
        Value::Bool(value) => drop(emitter.bool(*value)),
        Value::Int(value) => drop(emitter.int(*value)),
        Value::Text(text) => drop(emitter.str(text)),
        Value::List(items) => {
            emitter.seq_start(items.len());
            items.iter().for_each(|item| emit(emitter, item));
            emitter.seq_end();
        }
        Value::Map(pairs) => {
            emitter.map_start(pairs.len());
            for (key, value) in pairs {
                emitter.key(key);
                emit(emitter, value);
            }
            emitter.map_end();
        }
    }
}

fn read(document: &Document, id: NodeId) -> Value {
    let node = document.node(document.target(id));
    match &node.kind {
        NodeKind::Scalar { value, style } => match resolve(value, *style, None).unwrap() {
            Scalar::Null => Value::Null,
            Scalar::Bool(value) => Value::Bool(value),
            Scalar::Int(value) => Value::Int(value),
            Scalar::Str | Scalar::Merge => Value::Text(value.to_string()),
            other => panic!("{other:?}"),
        },
        NodeKind::Sequence(items) => Value::List(items.iter().map(|&item| read(document, item)).collect()),
        NodeKind::Mapping(pairs) => {
            let pair =
                |&(key, value): &(NodeId, NodeId)| (document.scalar(key).unwrap().to_string(), read(document, value));
            Value::Map(pairs.iter().map(pair).collect())
        }
        NodeKind::Alias { .. } => unreachable!(),
    }
}

/// Text without a leading newline, which the writer loses as the reference does.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        proptest::sample::select(vec![
            " ",
            ": ",
            " #",
            "{{ .x }}",
            "'",
            "\"",
            "\n",
            "\t",
            "yes",
            "0x1F",
            "2024-01-01",
            "!env X",
            "- ",
            "---",
            "~",
            "\\",
            "é",
            "🚀",
            "\u{2028}",
            "\u{85}",
            "\r",
            "?",
            "|",
            "%",
            "a",
            "1",
            ":",
        ])
        .prop_map(str::to_owned),
        ".",
    ];
    // Text that the reference itself cannot read back: line breaks at the start, a tab at the start of several lines.
    let is_lost = |text: &str| text.starts_with('\n') || text.starts_with('\t') && text.contains('\n');
    proptest::collection::vec(piece, 0..6)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("survives", move |text| !is_lost(text))
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        text().prop_map(Value::Text),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let map = proptest::collection::btree_map(text(), inner.clone(), 0..4).prop_map(|map| {
            let mut pairs: Vec<_> = map.into_iter().collect();
            sort_keys(&mut pairs, |pair| pair.0.as_str());
            Value::Map(pairs)
        });
        prop_oneof![proptest::collection::vec(inner, 0..4).prop_map(Value::List), map]
    })
}

proptest! {
    #![proptest_config(property_cases::cases(128))]

    #[test]
    fn what_is_written_reads_back(value in value()) {
        // The writer leaves breaks other than newlines raw in blocks and quotes; they read back folded.
        let shown = format!("{value:?}");
        prop_assume!(!shown.contains("\\u{2028}"));
        let mut emitter = Emitter::new();
        emit(&mut emitter, &value);
        let written = emitter.finish();
        let document = parse(written.as_bytes()).map_err(|error| TestCaseError::fail(format!("{error}: {written:?}")))?;
        prop_assert_eq!(read(&document, document.root().unwrap()), value, "{}", written);
    }

    #[test]
    fn broken_text_never_panics(
        cuts in proptest::collection::vec((0_usize..200, 0_usize..24), 1..5),
    ) {
        let mut text = b"a: &x {b: [1, 'two', \"th\\u00e9\"]}\nc: !env Y # z\nd:\n  <<: *x\n  e: |-\n    t\n    u\n".to_vec();
        let bits: [&[u8]; 24] = [
            b"", b"'", b"\"", b": ", b"- ", b"\t", b"\n", b"{", b"}", b"[", b"]", b"&x ", b"*x", b"!", b"!<", b"#", b"|",
            b"\\'", b"\\/", b"\xff", b"\0", b"---\n", b"? ", b":}",
        ];
        for (at, bit) in cuts {
            let at = at % (text.len() + 1);
            if bits[bit].is_empty() {
                text.truncate(at);
            } else {
                text.splice(at..at, bits[bit].iter().copied());
            }
        }
        if let Ok(document) = parse(&text) {
            problems(&document);
            for (_, node) in document.nodes() {
                prop_assert!(document.text().get(node.span.start as usize..node.span.end as usize).is_some());
                document.position(node.span.end);
            }
        }
    }
}

#[test]
fn a_byte_order_mark_inside_is_a_character() {
    for (text, keys) in [
        ("# c\n\u{feff}vars: 1\ncomponents: 2\n", ["\u{feff}vars", "components"]),
        ("---\n\u{feff}vars: 1\ncomponents: 2\n", ["\u{feff}vars", "components"]),
        ("a: 1\n\u{feff}b: 2\n", ["a", "\u{feff}b"]),
        ("\u{feff}\u{feff}a: 1\nb: 2\n", ["a", "b"]),
    ] {
        let document = parse(text.as_bytes()).unwrap();
        let NodeKind::Mapping(pairs) = &document.node(document.root().unwrap()).kind else { panic!("{text:?}") };
        let found: Vec<&str> = pairs
            .iter()
            .map(|(key, _)| match &document.node(*key).kind {
                NodeKind::Scalar { value, .. } => &**value,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(found, keys, "{text:?}");
    }
}

#[test]
fn nodes_are_small() {
    // Rules read all nodes of all documents: their size is time.
    assert_eq!(size_of::<super::node::Node>(), 48);
}
