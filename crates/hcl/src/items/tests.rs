use super::{items, plainly, said};

#[test]
fn layout_of_expressions_is_left_out() {
    for (a, b, plain) in [
        ("[\"a\",x.y]", "[ \"a\", x.y, ]", "[\"a\", x.y]"),
        ("f(a,  b)", "f(\n  a, # first\n  b\n)", "f(a, b)"),
        ("{ a = 1 }", "{ a   = 1 }", "{ a = 1 }"),
        ("{\n  a = 1\n  b = 2\n}", "{\n  a = 1 // one\n\n    b = 2\n}", "{\na = 1\nb = 2\n}"),
        ("a ? b : c", "a /* x */ ? b  :  c", "a ? b : c"),
        ("[<<E\n a,  b\nE\n, x]", "[<<E\n a,  b\nE\n,x]", "[<<E\n a,  b\nE, x]"),
        ("{}", "{ }", "{}"),
        ("[a.b, f(c, \"d\")]", "[\"${a.b}\", \"${ f(c,  \"d\") }\"]", "[a.b, f(c, \"d\")]"),
        ("a[b[\"c\"]].d", "\"${a[\"${b[\"c\"]}\"].d}\"", "a[b[\"c\"]].d"),
    ] {
        assert_eq!(said(a), said(b));
        assert_eq!(plainly(a), plain);
        assert_eq!(plainly(b), plain);
    }
    assert_eq!(plainly("\"a,b  ${c ? \"d,e\" : f}\""), "\"a,b  ${c ? \"d,e\" : f}\"");
    for (a, b, plain) in [
        ("f({ a = 1, b = 2 })", "f({\n  a = 1 # one\n\n  b = 2,\n})", "f({ a = 1, b = 2 })"),
        ("{ for a in b : a => c if d }", "{\n  for a in b :\n  a => c\n  if d\n}", "{ for a in b : a => c if d }"),
        ("{ a = [1, 2] }", "{\n  a = [\n    1,\n    2,\n  ]\n}", "{ a = [1, 2] }"),
        ("{}", "{\n}", "{}"),
    ] {
        assert_eq!((super::in_one_line(a).as_str(), super::in_one_line(b).as_str()), (plain, plain));
    }
    for text in [
        "\"${a}\"",
        "\"${a.b ? c : d}\"",
        "\"${a.b}c\"",
        "\"${a.b}${a.c}\"",
        "\"${a.b[0]-1}\"",
        "\"$${a.b}\"",
        "\"${~ a.b}\"",
        "\"${!a.b}\"",
    ] {
        assert_eq!(plainly(text), text);
        assert!(said(text).starts_with('"'), "{text}");
    }
    assert_ne!(said("[\"a\", x.y]"), said("[\"a\", x.z]"));
    assert_ne!(said("\"a  b\""), said("\"a b\""));
}

#[test]
fn the_order_of_entries_says_nothing() {
    for (a, b) in [
        ("f({ a = x.y, b = 2 })", "f({\n  b = 2\n  a = x.y\n})"),
        ("f({ a = 1, \"b-c\" = 2 })", "f({ \"b-c\" = 2, a = 1 })"),
        ("{ a = 1, b = x.y }", "{ b = x.y, a = 1 }"),
        ("f([{ c = { a = 1, b = 2 }, d = 3 }])", "f([{ d = 3, c = { b = 2, a = 1 } }])"),
        ("f({ a = <<E\n}\nE\n, b = [2, 1] })", "f({ b = [2, 1], a = <<E\n}\nE\n })"),
    ] {
        assert_eq!(said(a), said(b), "{a} {b}");
    }
    for (a, b) in [
        ("f({ a = 1, b = 2 })", "f({ a = 2, b = 1 })"),
        ("f({ a = 1, a = 2 })", "f({ a = 2, a = 1 })"),
        ("f({ a = 1, \"a\" = 2 })", "f({ \"a\" = 2, a = 1 })"),
        ("f({ (k) = 1, b = 2 })", "f({ b = 2, (k) = 1 })"),
        ("f({ \"${k}\" = 1, b = 2 })", "f({ b = 2, \"${k}\" = 1 })"),
        ("f([a = 1, b = 2])", "f([b = 2, a = 1])"),
        ("f(<<E\n{\nb = 1\na = 2\n}\nE\n)", "f(<<E\n{\na = 2\nb = 1\n}\nE\n)"),
        ("f({ a = { b = 1 }, c = {} })", "f({ a = {}, c = { b = 1 } })"),
    ] {
        assert_ne!(said(a), said(b), "{a} {b}");
    }
}

fn texts(text: &str) -> Vec<String> {
    items(text).iter().map(|item| item.text()).collect()
}

#[test]
fn comments_and_layout_are_left_out() {
    for (a, b) in [
        ("a = 1\n", "# note\na   =   1 // one\n\n"),
        ("r \"a\" \"b\" {\n  x = 1\n}\n", "r \"a\" \"b\" { /* c */\n\n  x = 1\n\n}"),
        ("a = [1, 2]\n", "a = [\n  1,\n  2, # two\n]\n"),
        ("a = { b = 1, c = 2 }\n", "a = {\n  b = 1\n  c = 2\n}\n"),
        ("a = f(\n  1,\n)\n", "a = f(1)\n"),
        ("a = 1\r\nb = 2\r\n", "a = 1\nb = 2\n"),
        ("a = <<EOT\n# x\nEOT\n", "a = <<EOT\n# x\nEOT\n\n# y\n"),
    ] {
        assert_eq!(texts(a), texts(b), "{a}");
    }
}

#[test]
fn what_is_said_counts() {
    for (a, b) in [
        ("a = 1\n", "a = 2\n"),
        ("a = \"# x\"\n", "a = \"# y\"\n"),
        ("a = \"${f(\"# x\")} # 1\"\n", "a = \"${f(\"# x\")} # 2\"\n"),
        ("a = \"$${\" # x\nb = 1\n", "a = \"$${\" # x\nb = 2\n"),
        ("a = \"\\\"# x\"\n", "a = \"\\\"# y\"\n"),
        ("a = <<-EOT\n  # x\n  EOT\n", "a = <<-EOT\n  # y\n  EOT\n"),
        ("a = b - c\n", "a = b-c\n"),
        ("r {\n  x = 1\n  y = 2\n}\n", "r {\n  x = 1\n}\n"),
        ("a = 1\nb = 1\n", "a = 1\n"),
        ("a = x ? 1 : 2\n", "a = x ? 2 : 1\n"),
    ] {
        assert_ne!(texts(a), texts(b), "{a}");
    }
}

/// Searching for the end of the line at each word would take minutes.
#[test]
fn one_line_of_a_megabyte_takes_no_square_of_it() {
    for part in ["[1]", "<<x ", "a.b", "{}", "<<", "\"x\" ", "{b=1,a="] {
        let text = format!("a = {}\n", part.repeat(1_000_000 / part.len()));
        assert_eq!(items(&text).len(), 1, "{part}");
    }
    let nested = "{b=1,a=".repeat(100_000) + &"}".repeat(100_000);
    assert_eq!(items(&format!("a = {nested}\n")).len(), 1);
}

#[test]
fn blocks_are_taken_apart() {
    let text = "a = {\n  x = 1\n}\nr \"a\" {\n  b {\n    c = 1\n  }\n  d = [\n    1,\n  ]\n}\n";
    let all = items(text);
    let shown: Vec<(&str, Vec<&str>)> = all
        .iter()
        .map(|item| {
            let of = |span: crate::ast::Span| &text[span.start as usize..span.end as usize];
            (of(item.head.span), item.children.iter().map(|child| of(child.span)).collect())
        })
        .collect();
    assert_eq!(shown, [("a = {\n  x = 1\n}", vec![]), ("r \"a\"", vec!["b {\n    c = 1\n  }", "d = [\n    1,\n  ]"])]);
    assert_eq!(all[1].span.end as usize, text.len() - 1);
    assert_eq!(all[1].children[0].first(), "b");
}
