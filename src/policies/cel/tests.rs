//! Results of expressions: known values, unknown ones in every position, and hostile expressions.
#![allow(clippy::disallowed_methods, reason = "a test looks at the time")]

use super::*;
use crate::resolution::Component;
use crate::value::{Data, Map, Unknown, Value, json};
use std::sync::Arc;

/// A component with these variables; the text `?` is something unknown, `?absent` perhaps nothing, and `{"?": …}` is perhaps there.
fn component(vars: &str) -> Component {
    fn unknown(value: &Value) -> Value {
        let unknown_value = |unknown| Value::new(Data::Unknown(Arc::new(unknown)));
        let absent = || Unknown { may_be_absent: true, ..Unknown::new("?", "a test") };
        match &value.data {
            Data::Str(text) if text.as_str() == "?" => unknown_value(Unknown::new("?", "a test")),
            Data::Str(text) if text.as_str() == "?absent" => unknown_value(absent()),
            Data::Map(map) if map.entry("?").is_some() => {
                let assumed = map.entry("?").map(|entry| Box::new(unknown(&entry.value)));
                unknown_value(Unknown { assumed, ..absent() })
            }
            Data::List(items) => Value::list(items.iter().map(unknown).collect()),
            Data::Map(map) => Value::map(map.iter().map(|e| (e.key.clone(), unknown(&e.value))).collect()),
            _ => value.clone(),
        }
    }
    let vars = unknown(&json::parse(vars).expect("JSON"));
    let mut map = Map::new();
    map.set("vars", vars);
    Component::new(("prod".into(), "terraform".into(), "vpc".into()), Value::map(map))
}

/// `true`, `false`, `unknown`, `missing`, `wrong`, `exceeded`, or the type of the result.
fn evaluated(expression: &str, component: &Component, steps: u64) -> String {
    threads::with_deep_stack(|| evaluated_here(expression, component, steps))
}

fn evaluated_here(expression: &str, component: &Component, steps: u64) -> String {
    let expression = match Expression::parse(expression, &["component"]) {
        Ok(expression) => expression,
        Err(why) => return format!("unreadable: {why}"),
    };
    let mut scope = Scope::new(&component.language, steps);
    scope.component = Some(component);
    match expression.eval(&mut scope) {
        Ok(Val::Bool(b)) => b.to_string(),
        Ok(Val::Unknown(_)) => "unknown".to_owned(),
        Ok(other) => other.type_name().to_owned(),
        Err(Failure::Missing(_)) => "missing".to_owned(),
        Err(Failure::Wrong(why)) => format!("wrong: {why}"),
        Err(Failure::Exceeded) => "exceeded".to_owned(),
    }
}

/// Tests expressions over `v`, which is `component.vars`.
fn table(vars: &str, cases: &[(&str, &str)]) {
    let component = component(vars);
    for (expression, expected) in cases {
        let whole = expression.replace("v.", "component.vars.");
        assert_eq!(evaluated(&whole, &component, 100_000), *expected, "{expression}");
    }
}

const VARS: &str = r#"{"u": "?", "t": true, "n": 3, "s": "abc", "l": ["a", "?"], "e": [], "k": ["a", "b"],
    "m": {"x": 1, "u": "?"}, "f": 1.5, "nothing": null}"#;

#[test]
fn known_values() {
    table(
        VARS,
        &[
            ("component.stack == 'prod' && component.type == 'terraform' && component.name == 'vpc'", "true"),
            ("v.n == 3 && v.n == 3.0 && v.n == 3u && v.n != 4", "true"),
            ("v.n + 1 == 4 && v.n - 5 == -2 && v.n * 2 == 6 && v.n / 2 == 1 && v.n % 2 == 1 && -v.n == -3", "true"),
            ("v.f * 2.0 == 3.0 && v.f < 2 && v.f > 1 && v.f <= 1.5 && v.f >= 1.5", "true"),
            ("v.s + 'd' == 'abcd' && size(v.s) == 3 && v.s.size() == 3", "true"),
            ("v.s.startsWith('a') && v.s.endsWith('c') && v.s.contains('b') && v.s.matches('^[a-c]+$')", "true"),
            ("v.s.upperAscii() == 'ABC' && 'ABC'.lowerAscii() == v.s && ' a '.trim() == 'a'", "true"),
            (
                "'a-b'.split('-') == ['a', 'b'] && ['a', 'b'].join('-') == 'a-b' && 'aba'.replace('a', 'x') == 'xbx'",
                "true",
            ),
            ("'abc'.indexOf('c') == 2 && 'aba'.lastIndexOf('a') == 2 && 'abc'.indexOf('x') == -1", "true"),
            ("'abc'.substring(1) == 'bc' && 'abc'.substring(0, 2) == 'ab' && 'abc'.charAt(1) == 'b'", "true"),
            ("int('3') == 3 && string(3) == '3' && double('1.5') == 1.5 && bool('true') && uint(3) == 3u", "true"),
            ("type(v.s) == type('') && type(v.n) != type('')", "true"),
            ("v.k.all(x, x in ['a', 'b']) && v.k.exists(x, x == 'b') && v.k.exists_one(x, x == 'b')", "true"),
            ("v.k.map(x, x + x) == ['aa', 'bb'] && v.k.filter(x, x != 'a') == ['b']", "true"),
            ("v.k[0] == 'a' && v.m['x'] == 1 && 'x' in v.m && !('y' in v.m) && 'vars' in component", "true"),
            ("has(v.n) && !has(v.missing) && has(v.nothing) && v.nothing == null", "true"),
            ("v.n > 2 ? v.t : v.missing", "true"),
            ("{'a': 1}.a == 1 && {'a': 1} == {'a': 1.0} && [1, 2] + [3] == [1, 2, 3]", "true"),
            ("['a', 'b', 'a'].distinct() == ['a', 'b'] && size(v.k) == 2 && size(v.m) == 2", "true"),
            ("cidrContains('10.0.0.0/8', '10.1.0.0/16') && !cidrOverlaps('10.0.0.0/16', '10.1.0.0/16')", "true"),
            ("v.m.exists(k, k == 'x')", "true"),
            ("v.missing == 1", "missing"),
            ("v.k[5] == 'a'", "missing"),
            ("v.missing.deeper == 1", "missing"),
            ("has(v.nothing.deeper)", "false"),
            ("false && v.missing == 1", "false"),
            ("v.missing == 1 && false", "false"),
            ("true || v.missing == 1", "true"),
            ("v.missing == 1 || true", "true"),
            ("v.missing == 1 || false", "missing"),
            ("v.s > 1", "wrong: string cannot be compared with int"),
            ("v.s && true", "wrong: a string is not a boolean"),
            ("v.n / 0 == 1", "wrong: a number is too large, or divided by zero"),
            ("9223372036854775807 + 1 == 0", "wrong: a number is too large, or divided by zero"),
            ("v.s.matches('(')", "wrong: `(` is not a valid regular expression"),
            ("cidrContains('x', '10.0.0.0/8')", "wrong: `x` is not an address range"),
        ],
    );
}

#[test]
fn unknown_values_in_every_position() {
    table(
        VARS,
        &[
            // By themselves, and what is read of them.
            ("v.u", "unknown"),
            ("v.u.deeper", "unknown"),
            ("v.u['key']", "unknown"),
            ("v.u[0]", "unknown"),
            // It is set, whatever it is.
            ("has(v.u)", "true"),
            ("has(v.u.deeper)", "unknown"),
            ("has(v.m.u.deeper)", "unknown"),
            ("v.k[v.u]", "unknown"),
            ("v.m[v.u]", "unknown"),
            ("v.l[1]", "unknown"),
            ("v.l[0] == 'a'", "true"),
            // Both sides of each operator.
            ("v.u == 1", "unknown"),
            ("1 == v.u", "unknown"),
            ("v.u != 1", "unknown"),
            ("1 != v.u", "unknown"),
            ("v.u == v.u", "unknown"),
            ("v.u < 1", "unknown"),
            ("1 < v.u", "unknown"),
            ("v.u <= 1", "unknown"),
            ("1 >= v.u", "unknown"),
            ("v.u > 1", "unknown"),
            ("v.u + 1 == 2", "unknown"),
            ("1 + v.u == 2", "unknown"),
            ("v.u - 1 == 2", "unknown"),
            ("v.u * 0 == 0", "unknown"),
            ("1 / v.u == 2", "unknown"),
            ("1 % v.u == 2", "unknown"),
            ("-v.u == 2", "unknown"),
            ("!v.u", "unknown"),
            ("v.u + 'a' == 'ba'", "unknown"),
            // One known side of `&&` and `||` can be enough.
            ("v.u && true", "unknown"),
            ("true && v.u", "unknown"),
            ("v.u && false", "false"),
            ("false && v.u", "false"),
            ("v.u || true", "true"),
            ("true || v.u", "true"),
            ("v.u || false", "unknown"),
            ("false || v.u", "unknown"),
            ("v.u && v.missing == 1", "unknown"),
            ("v.missing == 1 || v.u", "unknown"),
            // Conditions.
            ("v.u ? true : true", "unknown"),
            ("true ? v.u : true", "unknown"),
            ("false ? v.u : true", "true"),
            ("true ? true : v.u", "true"),
            ("false ? true : v.u", "unknown"),
            // Membership.
            ("v.u in ['a']", "unknown"),
            ("v.u in []", "false"),
            ("'a' in v.u", "unknown"),
            ("'a' in v.l", "true"),
            ("'b' in v.l", "unknown"),
            ("v.u in v.m", "unknown"),
            ("v.u in {}", "false"),
            ("'a' in [v.u, 'a']", "true"),
            ("'u' in v.m", "true"),
            // Lists and maps as a whole.
            ("v.l == ['a', 'b']", "unknown"),
            ("v.l == ['b', 'b']", "false"),
            ("v.l == ['a']", "false"),
            ("['a', v.u] == ['a', 'b']", "unknown"),
            ("v.m == {'x': 1, 'u': 2}", "unknown"),
            ("v.m == {'x': 2, 'u': 2}", "false"),
            ("v.m == {'x': 1}", "false"),
            ("{'a': v.u} == {'a': 1}", "unknown"),
            ("{v.u: 1}['a'] == 1", "unknown"),
            ("size(v.l) == 2", "true"),
            ("size(v.u) == 2", "unknown"),
            ("size([v.u]) == 1", "true"),
            ("(v.k + [v.u]).size() == 3", "true"),
            ("v.u + v.k == []", "unknown"),
            ("v.l.distinct().size() == 2", "unknown"),
            // Macros: over something unknown, with an unknown item, with an unknown condition.
            ("v.u.all(x, true)", "unknown"),
            ("v.l.all(x, x == 'a')", "unknown"),
            ("v.l.all(x, x == 'b')", "false"),
            ("v.k.all(x, v.u)", "unknown"),
            ("v.e.all(x, v.u)", "true"),
            ("v.l.exists(x, x == 'a')", "true"),
            ("v.l.exists(x, x == 'b')", "unknown"),
            ("v.u.exists(x, true)", "unknown"),
            ("v.k.exists(x, v.u)", "unknown"),
            ("v.l.exists_one(x, x == 'a')", "unknown"),
            ("v.k.exists_one(x, v.u)", "unknown"),
            ("v.l.map(x, x).size() == 2", "true"),
            ("v.l.map(x, x == 'a')[0]", "true"),
            ("v.l.map(x, x == 'a')[1]", "unknown"),
            ("v.l.filter(x, x == 'a').size() == 1", "unknown"),
            ("v.k.filter(x, v.u).size() == 2", "unknown"),
            ("v.k.map(x, v.u, x).size() == 2", "unknown"),
            ("v.k.filter(x, v.u) == v.k", "unknown"),
            ("v.k.filter(x, v.u)[0] == 'a'", "unknown"),
            ("v.k.filter(x, x == 'a' || v.u).all(x, x == 'c')", "false"),
            ("v.k.filter(x, v.u).all(x, x == 'c')", "unknown"),
            ("v.k.filter(x, x == 'a' || v.u).exists(x, x == 'a')", "true"),
            ("v.k.filter(x, v.u).exists(x, x == 'a')", "unknown"),
            ("v.k.filter(x, v.u).exists_one(x, x == 'a')", "unknown"),
            ("v.k.filter(x, v.u).map(x, x + 'c').exists(x, x == 'ac')", "unknown"),
            ("v.k.filter(x, v.u).join('-') == 'a-b'", "unknown"),
            ("v.k.filter(x, v.u).distinct() == v.k", "unknown"),
            ("'a' in v.k.filter(x, v.u)", "unknown"),
            ("'a' in v.k.filter(x, x == 'a' || v.u)", "true"),
            ("v.m.all(k, v.m[k] == 1)", "unknown"),
            ("v.m.exists(k, v.m[k] == 1)", "true"),
            // Arguments of functions, and what they are called on.
            ("v.u.startsWith('a')", "unknown"),
            ("'a'.startsWith(v.u)", "unknown"),
            ("v.u.endsWith('a')", "unknown"),
            ("'a'.contains(v.u)", "unknown"),
            ("v.u.matches('a')", "unknown"),
            ("'a'.matches(v.u)", "unknown"),
            ("string(v.u) == 'a'", "unknown"),
            ("int(v.u) == 1", "unknown"),
            ("uint(v.u) == 1u", "unknown"),
            ("double(v.u) == 1.0", "unknown"),
            ("bool(v.u)", "unknown"),
            ("dyn(v.u)", "unknown"),
            ("type(v.u) == type(1)", "unknown"),
            ("v.u.lowerAscii() == 'a'", "unknown"),
            ("v.u.upperAscii() == 'a'", "unknown"),
            ("v.u.trim() == 'a'", "unknown"),
            ("v.u.split(',') == ['a']", "unknown"),
            ("'a,b'.split(v.u) == ['a']", "unknown"),
            ("v.l.join(',') == 'a'", "unknown"),
            ("v.k.join(v.u) == 'a'", "unknown"),
            ("'aa'.replace(v.u, 'b') == 'a'", "unknown"),
            ("'aa'.replace('a', v.u) == 'a'", "unknown"),
            ("'aa'.substring(v.u) == 'a'", "unknown"),
            ("'aa'.charAt(v.u) == 'a'", "unknown"),
            ("'aa'.indexOf(v.u) == 0", "unknown"),
            ("v.u.lastIndexOf('a') == 0", "unknown"),
            ("cidrContains(v.u, '10.0.0.0/8')", "unknown"),
            ("cidrOverlaps('10.0.0.0/8', v.u)", "unknown"),
        ],
    );
}

#[test]
fn what_may_not_be_there() {
    table(
        r#"{"a": "?absent", "m": {"a": "?absent", "x": 1}, "l": ["x", {"?": "y"}], "r": ["x", "?absent"], "o": ["?absent"],
            "i": [{"?": {"type": "disk", "safe": false}}]}"#,
        &[
            // Nothing is the same as null.
            ("has(v.a)", "unknown"),
            ("has(v.m.a)", "unknown"),
            ("has(v.m.x)", "true"),
            ("has(v.m.y)", "false"),
            ("'a' in v.m", "unknown"),
            ("'a' in component.vars", "unknown"),
            ("'x' in v.m", "true"),
            ("v.a == 1", "unknown"),
            // An item that is perhaps there breaks a rule, and does not fulfill one.
            ("v.l.all(x, x == 'x')", "false"),
            ("v.l.all(x, x != 'z')", "true"),
            ("v.l.exists(x, x == 'y')", "unknown"),
            ("v.l.exists(x, x == 'x')", "true"),
            ("v.l.exists(x, x == 'z')", "false"),
            ("v.l.exists_one(x, x == 'x')", "unknown"),
            ("v.l.filter(x, x == 'y').all(x, x == 'z')", "false"),
            ("v.l.filter(x, x == 'y').size() == 1", "unknown"),
            ("v.l.filter(x, x == 'x').size() == 1", "true"),
            ("v.l.map(x, x + x).exists(x, x == 'yy')", "unknown"),
            ("v.l.map(x, x + x).all(x, x == 'xx')", "false"),
            ("'y' in v.l", "unknown"),
            ("'x' in v.l", "true"),
            ("'z' in v.l", "false"),
            ("v.l == ['x', 'y']", "unknown"),
            ("v.l == ['x']", "unknown"),
            ("size(v.l) == 2", "unknown"),
            ("v.l.size() > 0 || v.l[0] == 'x'", "unknown"),
            ("(v.l + ['z']).size() == 3", "unknown"),
            ("(v.l + ['z']).exists(x, x == 'z')", "true"),
            ("v.l.distinct().size() == 2", "unknown"),
            ("v.l.join(',') == 'x,y'", "unknown"),
            ("v.i.filter(r, r.type == 'disk').all(r, has(r.safe) && r.safe)", "false"),
            ("v.i.exists(r, r.type == 'disk')", "unknown"),
            // There may be anything besides.
            ("v.r.all(x, x == 'x')", "unknown"),
            ("v.r.all(x, x == 'y')", "false"),
            ("v.r.exists(x, x == 'x')", "true"),
            ("v.r.exists(x, x == 'y')", "unknown"),
            ("v.r.filter(x, x == 'z').size() == 0", "unknown"),
            ("'y' in v.r", "unknown"),
            ("v.o.all(x, x == 'x')", "unknown"),
            ("v.o == []", "unknown"),
        ],
    );
}

#[test]
fn mistakes_are_found_where_expressions_are_read() {
    for (expression, words) in [
        ("componet.stack == 'a'", "there is no variable `componet`; did you mean `component`?"),
        ("change.path == 'a'", "there is no variable `change`"),
        ("component.stack.startWith('a')", "there is no function `startWith`; did you mean `startsWith`?"),
        ("component.stack.startsWith()", "`startsWith` is called with a wrong number of arguments"),
        ("now() > 1", "there is no function `now`"),
        ("env('HOME') == 'a'", "there is no function `env`"),
        ("timestamp('2020-01-01T00:00:00Z') == 1", "there is no function `timestamp`"),
        ("b'abc' == b'abc'", "bytes are not supported"),
        ("Name{a: 1}", "messages (`Name{…}`) are not supported"),
        ("component.stack ==", "column"),
        ("", "column"),
        ("x.all(component, true)", "there is no variable `x`"),
    ] {
        let error = Expression::parse(expression, &["component"]).unwrap_err();
        assert!(error.contains(words), "{expression}: {error}");
    }
}

#[test]
fn hostile_expressions_end_within_their_limits() {
    let items: Vec<String> = (0..2_000).map(|i| format!("\"{i}\"")).collect();
    let vars = format!("{{\"k\": [{}], \"s\": \"{}\"}}", items.join(","), "a".repeat(50_000));
    let component = component(&vars);
    let nested = "component.vars.k.all(a, component.vars.k.all(b, component.vars.k.all(c, a + b != c + 'x')))";
    let doubled = format!("size({}[1].map(x, 'ab'){}) > 0", "", ".map(x, x + x)".repeat(40));
    let product = format!("component.vars.k.map(x, {})", "component.vars.k.map(y, component.vars.s + y)");
    let power = format!("component.vars.s.matches('{}')", "(a*)*".repeat(20) + "b$");
    for (expression, allowed) in [
        (nested, &["exceeded"][..]),
        (&doubled, &["exceeded", "unreadable: brackets in an expression can nest at most 24 levels deep"]),
        (&product, &["exceeded"]),
        (&power, &["false", "exceeded"]),
        ("'a'.matches('((((a{100}){100}){100}){100})')", &["exceeded"]),
        ("component.vars.s.replace('', component.vars.s) == ''", &["exceeded"]),
        ("component.vars.s.replace('a', component.vars.s) == ''", &["exceeded"]),
        ("component.vars.k.map(x, component.vars.s).join(component.vars.s) == ''", &["exceeded"]),
        ("component.vars.k.distinct().size() == 2000", &["exceeded"]),
        ("(component.vars.k + component.vars.k + component.vars.k + component.vars.k).size() > 0", &["exceeded"]),
    ] {
        let result = evaluated(expression, &component, 200_000);
        assert!(allowed.contains(&result.as_str()), "{expression}: {result}");
    }
    for (text, words) in [
        (format!("{}1{}", "(".repeat(1_000), ")".repeat(1_000)), "brackets"),
        (format!("{}1{} == 1", "[".repeat(20), "]".repeat(20)), "neither"),
        ("!".repeat(4_000) + "true", ""),
        ("-".repeat(4_000) + "1", ""),
        ("component".to_owned() + &".a".repeat(2_000), ""),
        ("true".to_owned() + &" && true".repeat(500), ""),
        ("true ? ".repeat(400) + "true" + &" : true".repeat(400), ""),
        ("1".repeat(4_097), "at most 4096 bytes"),
        ("1 +".repeat(1_000), ""),
        ("\u{0}\u{1}'\"\\".to_owned(), ""),
    ] {
        let result = evaluated(&text, &component, 200_000);
        assert!(words == "neither" || result.contains(words), "{result}");
    }
}

#[test]
fn what_made_an_expression_false() {
    let component = component(r#"{"zones": ["a", "b"], "tags": {"Env": "x", "Team": "y"}, "n": 1, "s": "t"}"#);
    for (expression, expected) in [
        ("size(component.vars.zones) >= 3", "vars.zones"),
        ("component.vars.n == 1 && component.vars.s == 'u'", "vars.s"),
        ("component.vars.n == 2 || component.vars.s == 'u'", "vars.n vars.s"),
        ("!(component.vars.n == 1)", "vars.n"),
        ("component.vars.zones.all(z, z == 'a')", "vars.zones[1]"),
        ("!component.vars.zones.exists(z, z == 'b')", "vars.zones[1]"),
        ("component.vars.zones.exists(z, z == 'c')", "vars.zones"),
        ("has(component.vars.tags.Owner)", "vars.tags-Owner"),
        ("component.vars.tags.Owner == 'x'", "vars.tags-Owner"),
        ("['Env', 'Owner'].all(t, t in component.vars.tags)", "vars.tags"),
        ("component.vars.tags.all(t, component.vars.tags[t] == 'x')", "vars.tags.Team"),
        ("component.vars.n > 0 ? component.vars.s == 'u' : true", "vars.s"),
        ("component.stack != 'prod'", ""),
        ("has(component.settings.x)", "-settings"),
    ] {
        let parsed = Expression::parse(expression, &["component"]).unwrap();
        let mut scope = Scope::new(&component.language, 10_000);
        scope.component = Some(&component);
        let name = |b: &Blamed<'_>| {
            format!("{}{}", b.at.path().1, b.lacks.as_ref().map_or(String::new(), |l| format!("-{l}")))
        };
        let blamed: Vec<String> = parsed.blame(&mut scope).iter().map(name).collect();
        assert_eq!(blamed.join(" "), expected, "{expression}");
    }
}
