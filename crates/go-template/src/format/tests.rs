use super::*;
use spanned_yaml::Timestamp;
use traced_value::Map;

fn s(text: &str) -> Val {
    Value::str(text).into()
}

fn i(n: i64) -> Val {
    Data::Int(n).into()
}

fn f(n: f64) -> Val {
    Data::Float(n).into()
}

fn sample() -> Val {
    let map: Map =
        [("b".into(), Value::list(vec![Value::new(Data::Int(1)), Value::default()])), ("a".into(), Value::str("x y"))]
            .into_iter()
            .collect();
    Value::map(map).into()
}

#[test]
fn formats() {
    let nil = || Val::from(Data::Null);
    for (format, args, want) in [
        ("%s-%d", vec![s("a"), i(3)], "a-3"),
        ("%d", vec![s("x")], "%!d(string=x)"),
        ("%v", vec![], "%!v(MISSING)"),
        ("a", vec![i(1), s("b"), nil()], "a%!(EXTRA int=1, string=b, <nil>)"),
        ("%05.2f|%8.3f|%-8.1f|%+.1f", vec![f(3.25), f(2.0), f(1.25), f(1.0)], "03.25|   2.000|1.2     |+1.0"),
        ("%05d|%-5d|%+d|%x|%X|%o|%b|%c|%U", (0..9).map(|n| i(if n > 6 { 65 } else { 42 })).collect(), ""),
        ("%q %x % x %#x", vec![s("a\"b"), s("hi"), s("hi"), s("hi")], "\"a\\\"b\" 6869 68 69 0x6869"),
        ("%5s|%-5s|%.2s|%05s", vec![s("é"), s("ab"), s("abc"), s("ab")], "    é|ab   |ab|000ab"),
        ("%v %+v", vec![sample(), sample()], "map[a:x y b:[1 <nil>]] map[a:x y b:[1 <nil>]]"),
        ("%#v", vec![sample()], "map[string]interface {}{\"a\":\"x y\", \"b\":[]interface {}{1, interface {}(nil)}}"),
        ("%d", vec![sample()], "map[%!d(string=a):%!d(string=x y) %!d(string=b):[1 <nil>]]"),
        ("%T %T %T %T", vec![i(1), s(""), sample(), nil()], "int string map[string]interface {} <nil>"),
        ("%s %d %v", vec![nil(), nil(), nil()], "%!s(<nil>) %!d(<nil>) <nil>"),
        ("%[2]d %[1]d", vec![i(1), i(2)], "2 1"),
        ("%*d|%-*d|%.*f", vec![i(4), i(1), i(3), i(2), i(1), f(2.55)], "   1|2  |2.5"),
        ("100%", vec![], "100%!(NOVERB)"),
        ("%%", vec![], "%"),
        ("%t %v", vec![Data::Bool(true).into(), Data::Bool(false).into()], "true false"),
        ("%z", vec![i(1)], "%!z(int=1)"),
        ("%e %g %G", vec![f(1500.0), f(1e21), f(1e-7)], "1.500000e+03 1e+21 1E-07"),
        ("%6.2f%%", vec![f(99.5)], " 99.50%"),
        ("%!", vec![], "%!!(MISSING)"),
        ("%[3]d", vec![i(1)], "%!d(BADINDEX)"),
    ] {
        let want = if want.is_empty() { "00042|42   |+42|2a|2A|52|101010|A|U+0041" } else { want };
        assert_eq!(sprintf(format, &args), want, "{format}");
    }
}

#[test]
fn printing() {
    assert_eq!(sprint(&[s("a"), i(1), i(2), s("b"), s("c")]), "a1 2b c".replace(" c", "c"));
    assert_eq!(print_value(&Val::Missing), "<no value>");
    let time = Timestamp { seconds: 1_704_153_600, nanos: 500_000_000, offset: 7200 };
    assert_eq!(time.to_string(), "2024-01-02 02:00:00.5 +0200 +0200");
    assert_eq!(Timestamp { seconds: 0, nanos: 0, offset: 0 }.to_string(), "1970-01-01 00:00:00 +0000 UTC");
}

#[test]
fn a_short_format_cannot_ask_for_gigabytes() {
    let format = "%1000000d".repeat(100);
    assert!(sprintf(&format, &vec![i(1); 100]).len() <= MAX_OUTPUT + 100);
    assert_eq!(sprintf("%99999999999d", &[i(1)]), "%!(NOVERB)%!(EXTRA int=1)");
}
