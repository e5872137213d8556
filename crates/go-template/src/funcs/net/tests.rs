//! Addresses, with what gomplate answers.

use crate::{FunctionSet, MissingKey, TemplateOptions, parse};
use traced_value::Value;

const FUNCTIONS: FunctionSet = FunctionSet { sprig: true, gomplate: true, host: None };

fn answer(expression: &str) -> String {
    let text = format!("{{{{ {expression} }}}}");
    let template = parse(&text, &TemplateOptions { left: "", right: "", functions: &FUNCTIONS }).expect("a template");
    match template.execute(&Value::default(), MissingKey::Default, &FUNCTIONS) {
        Ok(rendered) => match rendered.unknowns.first() {
            Some((_, unknown)) => format!("unknown: {}", unknown.reasons[0]),
            None => rendered.text,
        },
        Err(error) => error.message,
    }
}

#[test]
fn addresses() {
    for (address, want) in [
        ("10.0.0.1", "10.0.0.1"),
        ("010.1.2.03", "10.1.2.3"),
        ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
        ("1:2:3:4:5:6:7:0", "1:2:3:4:5:6:7:0"),
        ("::ffff:1.2.3.4", "::ffff:102:304"),
        ("fe80::1%eth0", "fe80::1%eth0"),
        ("::", "::"),
        ("1::", "1::"),
    ] {
        assert_eq!(answer(&format!("net.ParseIP {address:?}")), want, "{address}");
    }
}

#[test]
fn methods() {
    for (expression, want) in [
        (r#"(net.ParseIP "10.0.0.255").Next"#, "10.0.1.0"),
        (r#"(net.ParseIP "10.0.0.0").Prior.Is4"#, "true"),
        (r#"((net.ParseIP "10.1.2.3").Prefix 16).Range.To"#, "10.1.255.255"),
        (r#"(net.ParseIPPrefix "10.1.2.3/16").Masked"#, "10.1.0.0/16"),
        (r#"(net.ParseIPPrefix "10.0.0.0/8").Contains (net.ParseIP "10.9.9.9")"#, "true"),
        (r#"(net.ParseIPPrefix "10.0.0.0/9").Overlaps (net.ParseIPPrefix "10.128.0.0/16")"#, "false"),
        (r#"(net.ParseIPPrefix "2001:db8::/32").Range.To"#, "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
        (r#"(net.ParseIPPrefix "::/0").Range"#, "::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        (r#"(net.ParseIPRange "10.0.0.1-10.0.0.9").Contains (net.ParseIP "10.0.0.10")"#, "false"),
        (r#"(net.ParseIP "192.168.1.1").IsPrivate"#, "true"),
        (r#"(net.ParseIP "::1").StringExpanded"#, "0000:0000:0000:0000:0000:0000:0000:0001"),
        (r#"eq (net.ParseIP "01.1.1.1") (net.ParseIP "1.1.1.1")"#, "true"),
        (r#"net.ParseIP "1.1.1.1" | toJson"#, r#""1.1.1.1""#),
    ] {
        assert_eq!(answer(expression), want, "{expression}");
    }
}

#[test]
fn mistakes_and_what_is_not_known() {
    for (expression, want) in [
        (r#"net.ParseIP "1.2.3""#, r#"ParseIP("1.2.3"): IPv4 address too short"#),
        (r#"net.ParseIP "1::2::3""#, r#"ParseIP("1::2::3"): multiple :: in address (at ":3")"#),
        (r#"net.ParseIPPrefix "1.2.3.4/33""#, r#"netaddr.ParseIPPrefix("33"): prefix length out of range"#),
        (r#"net.ParseIPRange "10.0.0.2-10.0.0.1""#, "range 10.0.0.2 to 10.0.0.1 not valid"),
        (r#"net.CIDRHost 1 "10.0.0.0/8""#, "experimental function, but experimental mode not enabled"),
        (r#"net.LookupIP "example.com""#, "unknown: `LookupIP` needs network access"),
        (r#"(net.ParseIPRange "10.0.0.1-10.0.0.9").Prefixes"#, "unknown: `Prefixes` is not evaluated"),
        (r#"(net.ParseIP "255.255.255.255").Next"#, "unknown: `Next` has no result here"),
        (r#"(net.ParseIP "1.1.1.1").Nothing"#, "can't evaluate field Nothing in type netaddr.IP"),
    ] {
        assert!(answer(expression).ends_with(want), "{expression}: {}", answer(expression));
    }
}
