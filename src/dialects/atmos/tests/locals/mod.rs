//! `reference: atmos.md` section 9.

mod properties;
mod rules;
mod unused;

use super::{World, boxed, dev, json};

/// The variables of `box`, which are `uses`, in a file with these locals.
#[track_caller]
fn vars(locals: &str, uses: &str) -> serde_json::Value {
    boxed(&format!("locals:\n{locals}components:\n  terraform:\n    box:\n      vars:\n{uses}"))["vars"].clone()
}

#[test]
fn locals_resolve_in_the_order_of_need() {
    let found =
        vars("  a: \"{{ .locals.b }}-a\"\n  b: \"{{ .locals.z }}-b\"\n  z: end\n", "        v: \"{{ .locals.a }}\"\n");
    assert_eq!(found["v"], "end-b-a");
}

#[test]
fn sole_references_keep_their_type() {
    let found = vars(
        "  n: 3\n  l: [1, {k: v}]\n  m: {a: {b: true}}\n  t: text\n  again: \"{{ .locals.m }}\"\n",
        "        n: \"{{ .locals.n }}\"\n        l: '{{ .locals.l }}'\n        b: \"{{ .locals.m.a.b }}\"\n        again: \"{{ .locals.again }}\"\n        mixed: \"x-{{ .locals.n }}\"\n",
    );
    assert_eq!(found, json("{stage: dev, n: 3, l: [1, {k: v}], b: true, again: {a: {b: true}}, mixed: x-3}"));
}

#[test]
fn cycles_are_findings() {
    for (locals, words) in [
        ("  a: \"{{ .locals.a }}\"\n", "3 these locals refer to each other: a → a"),
        ("  a: \"{{ .locals.b }}\"\n  b: \"{{ .locals.a }}\"\n", "3 these locals refer to each other: a → b → a"),
        (
            "  x: \"{{ .locals.c }}\"\n  b: \"{{ .locals.c }}\"\n  c: [\"{{ .locals.b }}\"]\n",
            "4 these locals refer to each other: b → c → b",
        ),
    ] {
        dev(&format!("locals:\n{locals}")).fails(&["local-cycle stacks/deploy/dev.yaml:", words]);
    }
}

#[test]
fn unknown_locals_of_locals_are_findings() {
    dev("locals:\n  a: \"x {{ .locals.nope }}\"\n").fails(&["undefined-local stacks/deploy/dev.yaml:3", "`nope`"]);
}

#[test]
fn locals_must_be_a_map() {
    for text in ["[1]", "text", "null", ""] {
        dev(&format!("locals: {text}\n")).fails(&["stacks/deploy/dev.yaml:2", "locals must be a map"]);
    }
}

#[test]
fn locals_see_the_raw_sections_of_their_file() {
    let found = boxed(
        "\
settings: {owner: ann}
env: {E: e}
locals:
  who: \"{{ .settings.owner }}/{{ .vars.stage }}/{{ .env.E }}\"
components: {terraform: {box: {vars: {who: '{{ .locals.who }}'}}}}
",
    );
    assert_eq!(found["vars"]["who"], "ann/dev/e");
}

#[test]
fn all_scopes_of_a_file_are_one_map() {
    let found = boxed(
        "\
locals: {o: global, g: global}
terraform: {locals: {o: terraform, t: '{{ .locals.g }}-t'}}
helmfile: {locals: {o: helmfile}}
components: {terraform: {box: {vars: {o: '{{ .locals.o }}', g: '{{ .locals.g }}', t: '{{ .locals.t }}'}}}}
",
    );
    assert_eq!(found["vars"], json("{stage: dev, o: helmfile, g: global, t: global-t}"));
}

#[test]
fn locals_do_not_need_templates_to_be_enabled() {
    let world = dev(
        "locals: {a: 1}\ncomponents: {terraform: {box: {vars: {a: '{{ .locals.a }}', b: '{{ .vars.stage }}-x'}}}}\n",
    );
    let off = world.set("enabled: true, sprig", "enabled: false, sprig");
    assert_eq!(off.get("box")["vars"], json("{stage: dev, a: 1, b: dev-x}"));
}

#[test]
fn one_bad_expression_switches_a_section_off() {
    let found = boxed(
        "\
locals: {x: value}
components:
  terraform:
    box:
      vars:
        l: 'x-{{ .locals.x }}'
        p: '{{ .locals.x }}'
        c: '{{ .atmos_component }}'
",
    );
    assert_eq!(found["vars"], json("{stage: dev, l: 'x-<no value>', p: value, c: box}"));
}

#[test]
fn an_importer_with_locals_replaces_sections_of_what_it_imports() {
    let catalog = "vars: {a: catalog, b: catalog}\nsettings: {s: catalog}\ncomponents: {terraform: {box: {}}}\n";
    let with = |locals: &str| {
        World::new()
            .stack("catalog/x.yaml", catalog)
            .stack("deploy/dev.yaml", &format!("{locals}import: [catalog/x]\nvars: {{stage: dev, a: own}}\n"))
            .get("box")
    };
    assert_eq!(with("")["vars"], json("{stage: dev, a: own, b: catalog}"));
    for locals in ["locals: {x: 1}\n", "locals: {}\n", "terraform: {locals: {x: 1}}\n"] {
        assert_eq!(with(locals)["vars"], json("{stage: dev, a: own}"), "{locals}");
        assert_eq!(with(locals)["settings"], json("{s: catalog}"), "{locals}");
    }
}

#[test]
fn locals_stay_in_their_file() {
    let world = World::new()
        .stack("catalog/x.yaml", "locals: {mine: 1}\ncomponents: {terraform: {bag: {vars: {m: '{{ .locals.mine }}'}}}}\n")
        .stack(
            "deploy/dev.yaml",
            "import: [catalog/x]\nvars: {stage: dev}\ncomponents: {terraform: {box: {vars: {m: 'x{{ .locals.mine }}'}}}}\n",
        );
    assert_eq!(world.get("bag")["vars"]["m"], 1);
    assert_eq!(world.get("box")["vars"]["m"], "x<no value>");
}

#[test]
fn locals_of_a_component_are_its_data() {
    let found = boxed(
        "components: {terraform: {base: {locals: {a: 1, b: 2}}, box: {metadata: {inherits: [base]}, locals: {b: 3}, vars: {s: 'x{{ .locals.a }}{{ .locals.b }}'}}}}\n",
    );
    assert_eq!(found["locals"], json("{a: 1, b: 3}"));
    assert_eq!(found["vars"]["s"], "x13");
}

#[test]
fn functions_in_locals_are_unknown() {
    let world = dev(
        "locals: {e: !env HOME, x: \"{{ .locals.e }}-x\", s: !exec ls}\ncomponents: {terraform: {box: {vars: {a: '{{ .locals.x }}', b: plain, c: '{{ .locals.s }}'}}}}\n",
    );
    let found = world.get("box");
    assert_eq!(found["vars"]["b"], "plain");
    // The value if the variable is not set; for a command even that is unknown.
    assert_eq!(found["vars"]["a"], "-x");
    assert_eq!(found["vars"]["c"], "!exec ls");
}

/// Atmos runs functions in locals immediately; templates see the results.
#[test]
fn functions_in_locals_that_need_nothing_are_values() {
    for (local, seen, typed) in [
        ("!template '[1, 2]'", "[1 2]", "[1, 2]"),
        ("!template '{\"a\": \"b\"}'", "map[a:b]", "{a: b}"),
        ("!template hello", "hello", "hello"),
        ("'!template[1]'", "[1]", "[1]"),
        ("'!template \"5\"'", "5", "'5'"),
        // Functions without a result are text after all, templates included.
        ("!template null", "!template null", "'!template null'"),
        ("!tags", "[]", "[]"),
        ("!labels.keys", "[]", "[]"),
        ("!labels", "map[]", "{}"),
        ("!tags x", "!tags x", "'!tags x'"),
        ("!aws.region x", "!aws.region x", "'!aws.region x'"),
        ("!cwd", "!cwd", "'!cwd'"),
        ("'!other {{ .vars.stage }}'", "!other {{ .vars.stage }}", ""),
    ] {
        let found = boxed(&format!(
            "locals:\n  f: {local}\n  t: '<{{{{ .locals.f }}}}>'\ncomponents: {{terraform: {{box: {{vars: {{text: '{{{{ .locals.t }}}}', typed: '{{{{ .locals.f }}}}'}}}}}}}}\n"
        ));
        assert_eq!(found["vars"]["text"], format!("<{seen}>").replace("{{ .vars.stage }}", "dev"), "{local}");
        if !typed.is_empty() {
            assert_eq!(found["vars"]["typed"], json(typed), "{local}");
        }
    }
}

#[test]
fn functions_in_locals_that_atmos_refuses_are_found() {
    for (local, words) in [
        ("!unset", "`!unset` leaves a local without a value"),
        ("'!template'", "`!template` needs a string"),
        ("'!env'", "`!env` requires a variable name"),
        ("!env A b c", "`!env` takes the name of a variable and a default"),
        ("!exec ''", "`!exec` needs a command"),
        ("!terraform.output vpc", "`!terraform.output` takes a component and an output"),
    ] {
        let findings = dev(&format!("locals:\n  f: {local}\ncomponents: {{terraform: {{box: {{}}}}}}\n")).findings();
        let found = findings.iter().filter(|f| f.contains("local `f` cannot be resolved") && f.contains(words));
        assert_eq!(found.count(), 1, "{local}: {findings:?}");
    }
}
