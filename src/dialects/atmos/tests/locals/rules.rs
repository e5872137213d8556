//! Findings about locals.

use crate::diagnostic::Diagnostic;
use crate::dialects::atmos::tests::{World, dev};

/// Returns the findings of a rule: `file:line message | file:line related… | note… | help`, without `stacks/`.
pub(super) fn reported(world: &World, rule: &str) -> Vec<String> {
    use crate::dialects::Dialect;
    let files = crate::files::Files::default();
    let source = crate::source::Memory::new("memory", world.files.clone());
    let resolution = crate::dialects::atmos::tests::Atmos::new().resolve(
        &source,
        &world.project,
        &files,
        crate::dialects::atmos::tests::Scope::All,
    );
    let place = |l: &crate::diagnostic::Label| {
        let file = files.get(l.file);
        format!("{}:{}", file.path.trim_start_matches("stacks/"), file.line(l.start))
    };
    let one = |d: &Diagnostic| {
        let mut parts = vec![format!("{} {}", place(&d.primary), d.message)];
        parts.extend(d.related.iter().map(|l| format!("{} {}", place(l), l.message)));
        parts.extend(d.notes.iter().cloned());
        parts.extend(d.help.clone());
        parts.join(" | ").replace("stacks/", "")
    };
    resolution.findings.iter().filter(|d| d.rule.id() == rule).map(one).collect()
}

/// The only finding is under this rule, and its parts occur in order.
#[track_caller]
pub(super) fn sole(world: &World, rule: &str, parts: &[&str]) {
    let all = world.findings();
    assert_eq!(all.len(), 1, "{all:#?}");
    let found = reported(world, rule);
    assert_eq!(found.len(), 1, "{all:#?}");
    let mut rest = &*found[0];
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("no {part:?} in {:?}", found[0]));
        rest = &rest[at + part.len()..];
    }
}

/// Component `box` with one variable `v`, below these lines.
pub(super) fn with(before: &str, v: &str) -> World {
    dev(&format!("{before}components: {{terraform: {{box: {{vars: {{v: {v}}}}}}}}}\n"))
}

#[test]
fn undefined_locals() {
    let locals = "locals: {region: a, name: '{{ .locals.region }}'}\nterraform: {locals: {zone: '{{ .locals.name }}'}}\nsettings: {z: '{{ .locals.zone }}'}\n";
    sole(
        &with(locals, "'x-{{ .locals.regoin }}'"),
        "undefined-local",
        &[
            "deploy/dev.yaml:5 local `regoin` is not defined",
            "global: `name`, `region`; terraform: `zone`",
            "<no value>",
            "did you mean `region`?",
        ],
    );
    sole(&with("", "'{{ .locals.x }}'"), "undefined-local", &["the file defines no locals"]);
    // In what is not printed but still read.
    for template in [
        "{{ range .locals.lst }}x{{ end }}",
        "{{ printf \"%s\" .locals.lst }}",
        "{{ $.locals.lst }}",
        "{{ (.locals).lst }}",
        "{{ with .vars }}{{ $.locals.lst }}{{ end }}",
    ] {
        let world = with("", &format!("'a{template}'"));
        sole(&world, "undefined-local", &["`lst`"]);
    }
    // Here the component fails.
    sole(&with("", "'{{ .locals.x | upper }}'"), "undefined-local", &["`x`", "Atmos rejects"]);
    // In a local.
    sole(
        &dev("locals:\n  aa: 1\n  b: '{{ .locals.ab }}'\n"),
        "undefined-local",
        &["deploy/dev.yaml:4", "global: `aa`", "local `b` needs it", "Atmos rejects", "did you mean `aa`?"],
    );
    // Two of them are two findings; their dependents have none.
    let two = dev("locals: {a: '{{ .locals.x }}', b: '{{ .locals.y }}', c: '{{ .locals.a }}'}\n");
    assert_eq!(reported(&two, "undefined-local").len(), 2);
    assert_eq!(two.findings().len(), 2);
}

#[test]
fn what_provides_for_absence_is_no_finding() {
    for template in [
        "{{ .locals.x | default \"d\" }}",
        "{{ if .locals.x }}{{ .locals.x }}{{ end }}",
        "{{ with .locals.x }}{{ . }}{{ end }}",
        "{{ if hasKey . \"locals\" }}{{ .locals.x }}{{ end }}",
        "{{ coalesce .locals.x \"d\" }}",
        "{{ if .vars.nope }}{{ .locals.x }}{{ end }}",
        "{{ get (.locals | default dict) \"x\" }}",
    ] {
        assert_eq!(with("", &format!("'a{template}'")).findings(), [""; 0], "{template}");
    }
    // Components that are only inherited from may be incomplete.
    let heirs = "components: {terraform: {base: {metadata: {type: abstract}, vars: {v: '{{ .locals.x }}'}}, box: {metadata: {inherits: [base]}, locals: {x: 1}}}}\n";
    assert_eq!(dev(heirs).findings(), [""; 0]);
    let lenient = with("", "'{{ .locals.x }}'")
        .set("enabled: true, sprig", "enabled: true, ignore_missing_template_values: true, sprig");
    assert_eq!(lenient.findings(), [""; 0]);
}

#[test]
fn leaked_locals_upwards_through_a_chain() {
    let world = World::new()
        .stack("catalog/base.yaml", "vars: {r: '{{ .locals.region }}'}\nlocals:\n  region: a\n")
        .stack("catalog/mid.yaml", "import: [catalog/base]\n")
        .stack(
            "deploy/dev.yaml",
            "import:\n  - catalog/mid\nvars: {stage: dev}\ncomponents: {terraform: {box: {vars: {v: '{{ .locals.region }}'}}}}\n",
        );
    sole(
        &world,
        "leaked-local",
        &[
            "deploy/dev.yaml:4 local `region` is defined in catalog/base.yaml:3, but locals are file-scoped: deploy/dev.yaml cannot see it",
            "deploy/dev.yaml:2 deploy/dev.yaml imports catalog/mid.yaml",
            "catalog/mid.yaml:1 catalog/mid.yaml imports catalog/base.yaml",
            "catalog/base.yaml:3 `region` is defined here",
            "`vars` or `settings`",
        ],
    );
}

#[test]
fn leaked_locals_downwards_and_sideways() {
    let world = |catalog: &str, deploy: &str| {
        World::new()
            .stack("catalog/x.yaml", catalog)
            .stack("catalog/y.yaml", "locals: {beside: 1}\nvars: {b: '{{ .locals.beside }}'}\n")
            .stack(
                "deploy/dev.yaml",
                &format!(
                    "import: [catalog/mid, catalog/y]\nvars: {{stage: dev, u: '{{{{ .locals.top }}}}'}}\n{deploy}"
                ),
            )
            .stack("catalog/mid.yaml", "import: [catalog/x]\n")
    };
    let uses =
        |name: &str| format!("components: {{terraform: {{box: {{vars: {{v: '{{{{ .locals.{name} }}}}'}}}}}}}}\n");
    // The importer has locals, so the imported file is rendered with its context, and fails.
    sole(
        &world(&uses("top"), "locals: {top: 1}\n"),
        "leaked-local",
        &[
            "catalog/x.yaml:1 local `top` is defined in deploy/dev.yaml:3",
            "deploy/dev.yaml imports catalog/mid.yaml",
            "catalog/mid.yaml imports catalog/x.yaml",
            "Atmos rejects the file",
            "`context`",
        ],
    );
    let beside = world(&uses("beside"), "").set("sprig", "sprig").files.clone();
    let mut beside = World { files: beside, ..World::new() };
    beside = beside.stack("deploy/dev.yaml", "import: [catalog/mid, catalog/y]\nvars: {stage: dev}\n");
    sole(&beside, "leaked-local", &["catalog/x.yaml:1 local `beside` is defined in catalog/y.yaml:1"]);
    // In a local, which keeps the file from being read any further.
    let local = World::new()
        .stack("catalog/x.yaml", "locals: {far: 1}\nvars: {f: '{{ .locals.far }}'}\n")
        .stack("deploy/dev.yaml", "import: [catalog/x]\nvars: {stage: dev}\nlocals: {near: '{{ .locals.far }}'}\n");
    sole(
        &local,
        "leaked-local",
        &["deploy/dev.yaml:3 local `far` is defined in catalog/x.yaml:1", "local `near` needs it"],
    );
    // In an import path.
    let path = World::new()
        .stack("catalog/x.yaml", "locals: {far: x}\nvars: {f: '{{ .locals.far }}'}\n")
        .stack("deploy/dev.yaml", "import: [catalog/x, 'catalog/{{ .locals.far }}']\nvars: {stage: dev}\n");
    sole(&path, "leaked-local", &["deploy/dev.yaml:1 local `far` is defined in catalog/x.yaml:1"]);
}

#[test]
fn locals_of_components_reach_heirs_only() {
    let base = "components: {terraform: {base: {metadata: {type: abstract}, locals: {size: 3}, vars: {s: '{{ .locals.size }}'}}}}\n";
    let world = |own: &str| {
        World::new().stack("catalog/x.yaml", base).stack(
            "deploy/dev.yaml",
            &format!("import: [catalog/x]\nvars: {{stage: dev}}\ncomponents: {{terraform: {{box: {{{own}vars: {{v: '{{{{ .locals.size }}}}'}}}}}}}}\n"),
        )
    };
    assert_eq!(world("metadata: {inherits: [base]}, ").findings(), [""; 0]);
    sole(
        &world(""),
        "leaked-local",
        &[
            "deploy/dev.yaml:3",
            "catalog/x.yaml:1",
            "component `base` defines it: inherit from it with `metadata.inherits`",
        ],
    );
}

#[test]
fn cycles_behind_functions_are_cycles() {
    let world =
        dev("locals:\n  a: '{{ upper .locals.b }}'\n  b: '{{ lower .locals.c }}'\n  c: '{{ $.locals.a | upper }}'\n");
    sole(
        &world,
        "local-cycle",
        &[
            "deploy/dev.yaml:3 these locals refer to each other: a → b → c → a",
            ":3 `a` needs `b`",
            ":4 `b` needs `c`",
            ":5 `c` needs `a`",
        ],
    );
    // Not where Atmos finds an order all the same.
    let fine = with(
        "locals: {a: '{{ if hasKey .locals \"b\" }}{{ .locals.b }}{{ end }}', b: '{{ .locals.a | upper }}'}\n",
        "'{{ .locals.b }}'",
    );
    assert_eq!(fine.findings(), [""; 0]);
    // Two cycles are two findings, in two scopes as in one.
    let two = dev(
        "locals: {a: '{{ .locals.b }}', b: '{{ .locals.a }}', x: '{{ .locals.x }}'}\nterraform: {locals: {y: '{{ .locals.y }}'}}\n",
    );
    assert_eq!(reported(&two, "local-cycle").len(), 3, "{:#?}", two.findings());
}

#[test]
fn an_order_that_atmos_does_not_see() {
    sole(
        &dev("locals:\n  a: '{{ .locals.z | upper }}'\n  z: end\n"),
        "template-error",
        &[
            "deploy/dev.yaml:3 local `a` needs `z`, which Atmos resolves later",
            ":4 `z` is defined here",
            "sorts before `a`",
        ],
    );
    // `index`, `$` and changed dots are not seen either.
    for template in ["{{ $.locals.z }}", "{{ with .locals }}{{ .z }}{{ end }}"] {
        let found = reported(&dev(&format!("locals:\n  A: 1\n  a: 'x{template}'\n  z: end\n")), "template-error");
        assert!(found.len() == 1 && found[0].contains("resolves later"), "{template}: {found:?}");
    }
}

#[test]
fn locals_that_need_what_is_imported() {
    let world = |catalog: &str| {
        World::new()
            .stack("catalog/defaults.yaml", catalog)
            .stack("catalog/mid.yaml", "import: [catalog/defaults]\n")
            .stack(
                "deploy/dev.yaml",
                "import: [catalog/mid]\nvars: {stage: dev}\nlocals:\n  prefix: 'x-{{ .settings.tier }}'\n",
            )
    };
    sole(
        &world("settings:\n  tier: gold\n"),
        "local-needs-import",
        &[
            "deploy/dev.yaml:4 local `prefix` needs `settings.tier`, which only catalog/defaults.yaml sets",
            "deploy/dev.yaml imports catalog/mid.yaml",
            "catalog/mid.yaml imports catalog/defaults.yaml",
            "catalog/defaults.yaml:2 `settings.tier` is set here",
        ],
    );
    sole(&world("vars: {a: 1}\n"), "template-error", &["deploy/dev.yaml:4 local `prefix` cannot be resolved"]);
}

#[test]
fn a_local_lost_because_the_file_is_not_rendered() {
    let world = with("locals: {x: value}\n", "'{{ .locals.x }}-{{ .atmos_component }}'");
    sole(
        &world,
        "no-value-rendered",
        &[
            "deploy/dev.yaml:3 `<no value>` is rendered into `vars.v`",
            "could not be rendered with its locals as a whole",
            "different values",
        ],
    );
    // The finding about an undefined local covers its effects on others in the file.
    let spoiled = dev(
        "locals: {x: value}\ncomponents: {terraform: {box: {vars: {a: 'a-{{ .locals.nope }}', b: 'b-{{ .locals.x }}'}}}}\n",
    );
    sole(&spoiled, "undefined-local", &["`nope`"]);
}

#[test]
fn traces_of_missing_values() {
    sole(
        &with("", "'a-{{ .vars.stge }}'"),
        "undefined-reference",
        &["deploy/dev.yaml:2 `.vars.stge` is not set: `<no value>` is rendered into `vars.v`", "did you mean `stage`?"],
    );
    sole(&with("", "'a-{{ .settings.owner }}'"), "undefined-reference", &["`.settings.owner` is not set", "default"]);
    sole(&with("", "'{{ printf \"%d\" .vars.stage }}'"), "no-value-rendered", &["`%!d(string=dev)`"]);
    // ReportedLocals once, at the local.
    let world = with(
        "settings: {nothing: ~}\nlocals: {a: 'x{{ .settings.nothing }}', b: '{{ .locals.a }}y'}\n",
        "'{{ .locals.b }}'",
    );
    sole(&world, "no-value-rendered", &["deploy/dev.yaml:3", "a local that `vars.v` uses"]);
    // Literal text is intended.
    assert_eq!(with("", "'a <no value> %!s(x) {{ .vars.stage }}'").findings(), [""; 0]);
}

#[test]
fn references_to_what_is_not_set() {
    // Each is reported where it is written, with all stacks of one cause.
    let world = World::new()
        .stack("catalog/box.yaml", "components: {terraform: {box: {vars: {v: '{{ .vars.a }}-{{ .vars.b }}'}}}}\n")
        .stack("deploy/dev.yaml", "import: [catalog/box]\nvars: {stage: dev, a: 1}\n")
        .stack("deploy/prod.yaml", "import: [catalog/box]\nvars: {stage: prod}\n");
    assert_eq!(reported(&world, "undefined-reference").len(), 2, "{:#?}", world.findings());
    assert_eq!(world.findings().len(), 2, "{:#?}", world.findings());
    for template in [
        "{{ .vars.x | default \"a\" }}",
        "{{ if .vars.x }}{{ .vars.x }}{{ end }}",
        "{{ if and .vars.x .vars.y }}{{ .vars.y }}{{ end }}",
        "{{ if not .vars.x }}none{{ else }}{{ .vars.x }}{{ end }}",
        "{{ with .vars.x }}{{ . }}{{ end }}",
        "{{ if hasKey .vars \"x\" }}{{ .vars.x }}{{ end }}",
        "{{ coalesce .vars.x .vars.stage }}",
        "{{ ternary .vars.x .vars.stage false }}",
        "{{ range .vars.x }}{{ . }}{{ end }}",
        "{{ eq (toString .vars.x) \"a\" }}",
        "{{ $x := .vars.x }}{{ $x | default 1 }}",
        "{{ false | ternary .settings.x.y \"a\" }}",
    ] {
        let world = with("", &format!("'x{}'", template.replace('\'', "''")));
        assert_eq!(reported(&world, "undefined-reference"), [""; 0], "{template}");
    }
    // Some commands provide it.
    assert_eq!(with("", "'{{ .spacelift_stack }}'").findings(), [""; 0]);
    // Overridden values render nothing, and abstract components need not be complete.
    let world = dev(
        "settings: {v: '{{ .vars.x }}'}\ncomponents: {terraform: {base: {metadata: {type: abstract}, vars: {w: '{{ .vars.x }}'}}, box: {metadata: {inherits: [base]}, vars: {w: 1}, settings: {v: 1}}}}\n",
    );
    assert_eq!(world.findings(), [""; 0]);
}

#[test]
fn names_that_cannot_be_written() {
    let uses = "'{{ index .locals \"used-so\" }}'";
    let found =
        reported(&with("locals: {a-b: 1, 2nd: 1, used-so: 1, fine_2: 1, größe: 1}\n", uses), "invalid-local-name");
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].contains("`.locals.2nd`: the name starts with a digit") || found[1].contains("2nd"), "{found:#?}");
    assert!(
        found.iter().any(|f| f.contains("the name contains `-`") && f.contains("rename it to `a_b`")),
        "{found:#?}"
    );
}

#[test]
fn hidden_locals() {
    let world = dev(
        "locals:\n  a: 1\n  b: 1\n  u: !env U\nterraform:\n  locals:\n    a: 2\n    b: 1\n    u: x\ncomponents:\n  terraform:\n    box:\n      locals:\n        a: 3\n        own: 4\n      vars: {v: '{{ .locals.a }}{{ .locals.b }}'}\n",
    );
    let found = reported(&world, "shadowed-local");
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(
        found[0].starts_with("deploy/dev.yaml:8 local `a` of `terraform` hides")
            && found[0].contains("deploy/dev.yaml:3"),
        "{found:#?}"
    );
    assert!(found[1].starts_with("deploy/dev.yaml:15 local `a` of component `box` is hidden"), "{found:#?}");
}

#[test]
fn one_cause_is_one_finding() {
    // The local that was meant is not unused as well.
    sole(&with("locals: {region: 1}\n", "'{{ .locals.regio }}'"), "undefined-local", &["did you mean `region`?"]);
    let world = World::new()
        .stack("catalog/x.yaml", "locals: {far: 1}\n")
        .stack("deploy/dev.yaml", "import: [catalog/x]\nvars: {stage: dev}\ncomponents: {terraform: {box: {vars: {v: '{{ .locals.far }}'}}, bag: {vars: {v: 1}}}}\n")
        .stack("deploy/prod.yaml", "import: [catalog/x]\nvars: {stage: prod}\n");
    sole(&world, "leaked-local", &["`far`"]);
    // Inherited by many, reported once where it is written.
    let many: String = (0..30).map(|i| format!("      box{i}: {{metadata: {{inherits: [base]}}}}\n")).collect();
    let world = dev(&format!(
        "components:\n  terraform:\n      base: {{metadata: {{type: abstract}}, vars: {{v: 'x{{{{ .locals.nope }}}}'}}}}\n{many}"
    ));
    sole(&world, "undefined-local", &["deploy/dev.yaml:4"]);
}

#[test]
fn files_that_are_not_rendered() {
    let world = World::new()
        .stack("catalog/x.yaml", "locals: {mine: 1}\nvars: {v: 'x-{{ .locals.mine }}'}\n")
        .stack(
            "deploy/dev.yaml",
            "import: [{path: catalog/x, skip_templates_processing: true}]\nvars: {stage: dev}\ncomponents: {terraform: {box: {}}}\n",
        );
    sole(&world, "no-value-rendered", &["catalog/x.yaml:2", "imported with `skip_templates_processing`"]);
}
