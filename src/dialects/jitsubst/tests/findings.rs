//! Findings of the rules, and cases without findings.

use super::*;

const NONE: [&str; 0] = [];

fn app(config: &str) -> World {
    let net = "modules:\n  - name: net\n    type: infra.vpc\n";
    World::new(&format!("{net}  - name: app\n    type: infra.container_service\n    config: {config}\n"))
}

#[test]
fn the_form_of_references() {
    for (text, expected) in [
        ("${A}", vec![]),
        ("${}", vec!["jit-malformed-ref ${}"]),
        ("x ${a.} ${.b}", vec!["jit-malformed-ref ${a.}", "jit-malformed-ref ${.b}"]),
        ("${A", vec!["jit-unclosed-ref ${"]),
        ("${A} ${B", vec!["jit-unclosed-ref ${"]),
        ("${ A }", vec!["jit-whitespace-in-ref ${ A }"]),
        ("${ net.id }", vec!["jit-whitespace-in-ref ${ net.id }"]),
        ("$${A}", vec!["jit-dollar-dollar $${A}"]),
        ("${${A}}", vec!["jit-nested-ref ${${A}"]),
        ("$A $$ $1", vec![]),
        ("${A} ${} ${A} ${}", vec!["jit-malformed-ref ${}", "jit-malformed-ref ${}"]),
    ] {
        assert_eq!(app(&format!("{{env_vars: {{X: \"{text}\"}}}}")).rules(), expected, "{text}");
    }
    assert_eq!(app("{'k-${A}': x}").rules(), ["jit-ref-in-key k-${A}"]);
    let places = app("{env_vars: {X: \"${A} ${} ${}\"}}").findings();
    assert_eq!(places, ["jit-malformed-ref 6:34 ${} []", "jit-malformed-ref 6:38 ${} []"]);
}

#[test]
fn a_slip_in_the_base_is_reported_once_and_overlays_are_read() {
    let world = World::new(
        "environments: {a: {envVars: {E: '${}'}}, b: {}, c: {}}
modules:
  - name: app
    type: infra.container_service
    config: {env_vars: {X: '${.x}'}}
    environments: {b: {config: {env_vars: {Y: '${y.}'}}}}
  - {name: other, type: iac.provider, config: {x: '${}'}}
",
    );
    assert_eq!(world.rules(), ["jit-malformed-ref ${}", "jit-malformed-ref ${.x}", "jit-malformed-ref ${y.}"]);
}

#[test]
fn modules_that_references_name() {
    let on = |config: &str| app(config).findings();
    assert_eq!(on("{depends_on: [net], env_vars: {X: '${net.id}'}}"), NONE);
    let lost = on("{env_vars: {X: 'a ${nte.id}'}}");
    assert_eq!(lost, ["jit-unknown-module 6:31 ${nte.id} [default]"]);
    assert!(app("{env_vars: {X: '${nte.id}'}}").words().ends_with("did you mean `net`?"));
    assert_eq!(on("{env_vars: {X: '${app.url}'}}"), ["jit-self-ref 6:29 ${app.url} [default]"]);
    assert_eq!(on("{env_vars: {X: '${net.id}'}}"), ["jit-missing-depends-on 6:29 ${net.id} [default]"]);
    assert_eq!(on("{depends_on: ['$X'], env_vars: {X: '${net.id}'}}"), NONE, "what is not known is not missed");
    let blanked = on("{depends_on: [net], vpc: '${net.id}', x: '${net.id}'}");
    assert_eq!(
        blanked,
        [
            "jit-ref-blanked-by-env-expansion 6:39 ${net.id} [default]",
            "jit-ref-blanked-by-env-expansion 6:55 ${net.id} [default]"
        ]
    );
}

#[test]
fn one_finding_for_all_environments() {
    let world = World::new(
        "environments: {a: {}, b: {}, c: {}}
modules:
  - name: net
    type: infra.vpc
    environments: {a: {config: {name: net-a}}, b: {config: {name: net-b}}, c: null}
  - name: app
    type: infra.x
    config: {depends_on: [net], env_vars: {X: '${net.id}', Y: '${gone.id}'}}
",
    );
    assert_eq!(
        world.findings(),
        [
            "undefined-dependency 8:27 net [a+b]",
            "jit-module-skipped-in-env 8:48 ${net.id} [c]",
            "jit-unknown-module 8:48 ${net.id} [a+b]",
            "jit-unknown-module 8:64 ${gone.id} [a+b+c]",
        ]
    );
    let resolution = world.resolve(&Files::default());
    let renamed = resolution.findings.iter().find(|f| f.message.contains("another name")).unwrap();
    let related: Vec<&str> = renamed.related.iter().map(|l| l.message.as_str()).collect();
    assert_eq!(related, ["`net` is called `net-a` in `a`", "`net` is called `net-b` in `b`"]);
}

#[test]
fn circles() {
    let world = |modules: &str| World::new(&format!("modules:\n{modules}"));
    let both = "  - {name: a, type: infra.x, config: {depends_on: [b]}}\n  - {name: b, type: infra.x, config: {depends_on: [a]}}\n";
    assert_eq!(world(both).rules(), ["dependency-cycle b"]);
    let own = "  - {name: a, type: infra.x, config: {depends_on: [a]}}\n";
    assert_eq!(world(own).words(), "`a` depends on itself");
    // References alone: no advice to depend on each other.
    let refs = "  - {name: a, type: infra.x, config: {env_vars: {X: '${b.x}'}}}\n  - {name: b, type: infra.x, config: {env_vars: {X: '${a.x}'}}}\n";
    assert_eq!(world(refs).rules(), ["reference-cycle ${b.x}"]);
    let words = world(refs).words();
    assert!(words.contains("`a` → `b` → `a`") && words.contains("`b` needs an output of `a`"), "{words}");
    // A reference that expansion takes away closes nothing.
    let blanked = "  - {name: a, type: infra.x, config: {depends_on: [b]}}\n  - {name: b, type: infra.x, config: {x: '${a.x}'}}\n";
    assert_eq!(world(blanked).rules(), ["jit-ref-blanked-by-env-expansion ${a.x}"]);
}

#[test]
fn dependencies_that_need_not_be_there() {
    let world = World::new(
        "environments: {a: {}}
modules:
  - {name: p, type: iac.provider}
  - {name: off, type: infra.x, environments: {a: null}}
  - {name: app, type: infra.x, config: {depends_on: [p, off]}}
",
    );
    assert_eq!(world.findings(), NONE);
    assert_eq!(app("{depends_on: [nte]}").findings(), ["undefined-dependency 6:27 nte [default]"]);
}

#[test]
fn variables_that_are_set() {
    let config = "{image: 'a:$TAG', env_vars: {X: '${LEVEL}', Y: '${TOKEN}'}}";
    let world = app(config).file("extra", "");
    assert_eq!(world.findings(), NONE, "nobody says which there are");
    let set = app(config).variables(&["TAGS", "TOKEN"]);
    assert_eq!(set.findings(), ["jit-env-silently-empty 6:24 $TAG [default]", "jit-env-unset 6:46 ${LEVEL} [default]"]);
    let help = set.resolve(&Files::default()).findings[0].help.clone();
    assert_eq!(help.as_deref(), Some("did you mean `TAGS`?"));
    // Names that no variable has are reported once a text, whatever is set.
    let script = app("{user_data: 'echo $1 ${2} ${A:-b} $(date) ${user.home} $A'}");
    assert_eq!(script.findings(), ["jit-env-silently-empty 6:31 $1 [default]"]);
    assert!(script.words().starts_with("`$1`, `${2}`, `${A:-b}`, `${user.home}` become empty"), "{}", script.words());
}

#[test]
fn secrets() {
    let world = |secrets: &str| {
        World::new(&format!(
            "secrets:\n  generate: [{secrets}]\nmodules: [{{name: net, type: infra.vpc, environments: {{prod: {{config: {{name: live}}}}}}}}]\n"
        ))
    };
    let output = |source: &str| world(&format!("{{key: K, type: infra_output{source}}}")).rules();
    assert_eq!(output(", source: net.id"), NONE);
    assert_eq!(output(", source: live.id"), NONE);
    assert_eq!(output(", source: nte.id"), ["jit-bad-infra-output-source nte.id"]);
    assert_eq!(output(", source: net."), ["jit-bad-infra-output-source net."]);
    assert_eq!(output(""), ["jit-bad-infra-output-source K"]);
    let unused = |text: &str| {
        let resolution = World::new(text).resolve(&Files::default());
        resolution.findings.iter().filter(|f| f.rule.id() == "jit-unused-secret").count()
    };
    let declared = "secrets: {entries: [{name: TOKEN}]}\n";
    assert_eq!(unused(&format!("{declared}modules: []\n")), 1);
    assert_eq!(
        unused(&format!("{declared}modules: [{{name: a, type: ci.build, config: {{x: 'secret://TOKEN'}}}}]\n")),
        0
    );
    assert_eq!(unused(&format!("{declared}modules: [{{name: a, type: x, config: {{x: MY_TOKEN}}}}]\n")), 1);
    let literal = app("{env_vars: {A: AKIAABCDEFGHIJKLMNOP}, other: AKIAABCDEFGHIJKLMNOP}");
    assert_eq!(literal.findings(), ["jit-secret-literal 6:28 AKIAABCDEFGHIJKLMNOP [default]"]);
}

#[test]
fn names_that_are_there_twice() {
    let world = World::new(
        "modules:
  - {name: a, type: infra.vpc}
  - {name: a, type: infra.database}
  - {name: b, type: infra.x, config: {provider: one}}
  - {name: b, type: infra.x, config: {provider: two}}
",
    );
    assert_eq!(world.rules(), ["jit-duplicate-resource a", "jit-duplicate-resource b"]);
    let messages: Vec<String> = world.resolve(&Files::default()).findings.into_iter().map(|f| f.message).collect();
    assert!(messages[0].contains("a `infra.vpc` and a `infra.database` share the name `a`"), "{messages:?}");
    assert!(messages[1].contains("of different providers"), "{messages:?}");
}
