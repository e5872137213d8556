//! Limits of single operations of policies. A time limit cannot stop a function in the middle of its work, so functions
//! with large results check their arguments first.

use super::rego_text::Statement;
use regorus::{Engine, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The maximum number of statements of all modules.
const MAX_STATEMENTS: usize = 5_000;
/// The maximum number of bytes of all modules.
const MAX_BYTES: usize = 4 << 20;
/// The maximum nesting of brackets. For some of them, the parser takes twice as long with each further level.
const MAX_BRACKETS: usize = 24;
/// The most items of a list that a function makes.
const MAX_ITEMS: f64 = 200_000.0;
/// The maximum number of bytes of a text that a function reads or makes.
const MAX_TEXT: usize = 4 << 20;
/// The widest field of a format, and the largest exponent of a number.
const MAX_DIGITS: usize = 4;

/// The text that identifies an exceeded limit among other errors.
pub(super) const EXCEEDED: &str = "the policy exceeds a limit";

/// Whether the text of an error reports an exceeded limit.
pub(super) fn is_excess(error: &str) -> bool {
    ["time limit", "memory limit", EXCEEDED].iter().any(|words| error.contains(words))
}

/// A function with its number of arguments and the check of them.
type Guarded = (&'static str, u8, fn(&[Value]) -> bool);

/// The functions that are asked about.
const GUARDED: [Guarded; 11] = [
    ("array.concat", 2, |a| items(&a[0]) + items(&a[1]) <= MAX_ITEMS),
    ("bits.lsh", 2, |a| number(&a[1]).is_none_or(|n| n.abs() <= 10_000.0)),
    ("concat", 2, |a| text(&a[0]) as f64 * items(&a[1]) + texts(&a[1]) as f64 <= MAX_TEXT as f64),
    ("json.marshal", 1, |a| texts(&a[0]) <= MAX_TEXT),
    ("numbers.range", 2, |a| spread(&a[0], &a[1]) <= MAX_ITEMS),
    ("numbers.range_step", 3, |a| spread(&a[0], &a[1]) <= MAX_ITEMS),
    ("replace", 3, |a| (text(&a[0]) + 1).saturating_mul(text(&a[2]) + 1) <= MAX_TEXT),
    ("sprintf", 2, |a| is_narrow(&a[0]) && texts(&a[1]) <= MAX_TEXT),
    ("to_number", 1, |a| is_small(&a[0])),
    ("units.parse", 1, |a| is_small(&a[0])),
    ("units.parse_bytes", 1, |a| is_small(&a[0])),
];

/// Puts the guards of all functions before an engine's own.
///
/// # Errors
/// The engine has none of that name.
pub(super) fn install(engine: &mut Engine) -> Result<(), String> {
    for (name, arity, is_fine) in GUARDED {
        let arguments: Vec<String> = (0..arity).map(|i| format!("input[{i}]")).collect();
        let module = format!("package guarded\nresult = {name}({})\n", arguments.join(", "));
        let mut plain = Engine::new();
        plain.set_rego_v0(true);
        plain.set_strict_builtin_errors(false);
        plain.add_policy("guarded.rego".to_owned(), module).map_err(|e| e.to_string())?;
        let guard = move |args: Vec<Value>| {
            if !is_fine(&args) {
                return Err(std::io::Error::other(format!("{name}: {EXCEEDED}")).into());
            }
            plain.set_input(Value::from(args));
            plain.eval_rule("data.guarded.result".to_owned())
        };
        engine.add_extension(name.to_owned(), arity, Box::new(guard)).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn items(value: &Value) -> f64 {
    match value {
        Value::Array(items) => items.len() as f64,
        Value::Set(items) => items.len() as f64,
        _ => 0.0,
    }
}

fn text(value: &Value) -> usize {
    if let Value::String(text) = value { text.len() } else { 0 }
}

/// The bytes of all texts in a value, and some for everything else; at most a little over [`MAX_TEXT`], because lists that hold
/// others twice multiply.
fn texts(value: &Value) -> usize {
    let (mut size, mut open) = (0_usize, vec![value]);
    while let Some(value) = open.pop() {
        size += 8 + text(value);
        match value {
            Value::Array(items) => open.extend(items.iter()),
            Value::Set(items) => open.extend(items.iter()),
            Value::Object(map) => open.extend(map.iter().flat_map(|(k, v)| [k, v])),
            _ => {}
        }
        if size > MAX_TEXT || open.len() > MAX_TEXT {
            return MAX_TEXT + 1;
        }
    }
    size
}

fn number(value: &Value) -> Option<f64> {
    if let Value::Number(_) = value { value.as_f64().ok() } else { None }
}

fn spread(from: &Value, to: &Value) -> f64 {
    match (number(from), number(to)) {
        (Some(from), Some(to)) => (to - from).abs(),
        _ => 0.0,
    }
}

/// Whether a format has no field that is wider than a thousand characters.
fn is_narrow(format: &Value) -> bool {
    let Value::String(format) = format else { return true };
    format.split('%').skip(1).all(|field| {
        let flags = field.split(|c: char| !c.is_ascii_digit() && !"+-# .*[]".contains(c)).next().unwrap_or_default();
        flags.split(|c: char| !c.is_ascii_digit()).all(|digits| digits.len() < MAX_DIGITS)
    })
}

/// Whether a number as text has an exponent of at most four digits, and no more digits than anybody needs.
fn is_small(value: &Value) -> bool {
    let Value::String(text) = value else { return true };
    has_small_exponents(text)
}

fn has_small_exponents(text: &str) -> bool {
    let exponent = |part: &str| {
        let part = part.trim_start_matches(['+', '-']);
        part.bytes().take_while(u8::is_ascii_digit).count() <= MAX_DIGITS
    };
    text.len() <= 10_000 && text.split(['e', 'E']).skip(1).all(exponent)
}

/// Explains which limit the text of a policy exceeds, or that it would never terminate.
pub(super) fn excess<'m>(modules: impl Iterator<Item = (&'m str, &'m [Statement])> + Clone) -> Option<String> {
    let bytes: usize = modules.clone().map(|(text, _)| text.len()).sum();
    let count: usize = modules.clone().map(|(_, statements)| statements.len()).sum();
    if bytes > MAX_BYTES || count > MAX_STATEMENTS {
        return Some(format!("it has more than {MAX_STATEMENTS} statements or {MAX_BYTES} bytes"));
    }
    if modules.clone().flat_map(|(_, all)| all).any(|s| s.brackets > MAX_BRACKETS) {
        return Some(format!("brackets in it nest more than {MAX_BRACKETS} levels deep"));
    }
    let is_large = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && !has_small_exponents(word);
    let split = |c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c);
    modules.clone().flat_map(|(text, _)| text.split(split)).find(is_large).map(|word| {
        let shown: String = word.chars().take(20).collect();
        format!("the number {shown} in it is too large")
    })
}

/// Returns a function that calls itself, directly or indirectly. OPA rejects such a policy.
pub(super) fn recursive<'m>(modules: impl Iterator<Item = &'m [Statement]> + Clone) -> Option<&'m str> {
    let statements = || modules.clone().flatten();
    let mut calls: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for statement in statements().filter(|s| s.is_function) {
        calls.entry(&statement.head).or_default();
    }
    let functions: BTreeSet<&str> = calls.keys().copied().collect();
    for statement in statements().filter(|s| s.is_function) {
        let called = statement.calls.iter().map(String::as_str).filter(|name| functions.contains(name));
        calls.entry(&statement.head).or_default().extend(called);
    }
    // Functions without calls are removed repeatedly, until none or only cycles are left.
    let mut waiting: HashMap<&str, usize> = calls.iter().map(|(name, all)| (*name, all.len())).collect();
    let mut done: Vec<&str> = waiting.iter().filter(|(_, n)| **n == 0).map(|(name, _)| *name).collect();
    while let Some(name) = done.pop() {
        waiting.remove(name);
        for (caller, all) in &calls {
            if all.contains(name)
                && let Some(left) = waiting.get_mut(caller)
            {
                *left -= 1;
                if *left == 0 {
                    done.push(caller);
                }
            }
        }
    }
    // Of those that are left some only call what is in a circle.
    let is_in_circle = |name: &&&str| {
        let (mut open, mut seen) = (vec![**name], BTreeSet::new());
        while let Some(at) = open.pop() {
            for called in calls.get(at).into_iter().flatten() {
                if called == *name {
                    return true;
                }
                if seen.insert(*called) {
                    open.push(called);
                }
            }
        }
        false
    };
    let mut left: Vec<&str> = waiting.keys().copied().collect();
    left.sort_unstable();
    left.iter().find(is_in_circle).copied()
}

#[cfg(test)]
mod tests {
    use super::super::rego_text::statements;
    use super::*;

    #[test]
    fn functions_that_call_themselves() {
        for (text, expected) in [
            ("f(x) = y { y = f(x) }\n", Some("f")),
            ("f(x) = g(x) { true }\ng(x) = y { y = f(x) }\n", Some("f")),
            ("f(x) = y { y = data.a.f(x) }\n", Some("f")),
            ("f(x) = g(x) { true }\ng(x) = y { y = count(x) }\n", None),
            // A function of the language, and a key, of the same name.
            ("match(x) { regex.match(\"a\", x) }\n", None),
            ("f(x) { x.f == 1 }\nf(x) { input.f(x) }\n", None),
            ("errors[m] { f(1); m = 1 }\nf(x) = 1 { true }\n", None),
        ] {
            let all = statements(&format!("package a\n{text}"));
            assert_eq!(recursive(std::iter::once(&all[..])), expected, "{text}");
        }
    }

    #[test]
    fn texts_that_are_too_much() {
        for (text, is_excessive) in [
            ("package a\nx = [[[1]]]\n".to_owned(), false),
            (format!("package a\nx = {}1{}\n", "[".repeat(60), "]".repeat(60)), true),
            ("package a\nx = 1e999999999\n".to_owned(), true),
            ("package a\nx = 1e10 + 5\nname = \"e99999999\"\n".to_owned(), false),
        ] {
            let all = statements(&text);
            assert_eq!(excess(std::iter::once((text.as_str(), &all[..]))).is_some(), is_excessive, "{text}");
        }
    }

    #[test]
    fn formats_and_exponents() {
        let narrow = |text: &str| is_narrow(&Value::from(text));
        assert!(
            narrow("%s is 100% %-20d %5.2f") && !narrow("%1000000000d") && !narrow("%.99999f") && !narrow("%-5000s")
        );
        assert!(has_small_exponents("1e9") && !has_small_exponents("1e999999999") && !has_small_exponents("1E+99999"));
    }
}
