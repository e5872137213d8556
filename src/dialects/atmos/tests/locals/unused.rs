//! Locals that nothing reads.

use super::rules::{reported, sole, with};
use crate::dialects::atmos::tests::{World, dev};

#[test]
fn a_local_that_was_meant_is_not_unused_where_nobody_looks() {
    // The catalog file is read again on the way from a manifest that no stack reaches.
    let world = World::new()
        .stack("catalog/base.yaml", "locals: {x: 1}\nvars: {a: 1}\n")
        .stack("catalog/orphan.yaml", "import: [catalog/base]\n")
        .stack(
            "deploy/dev.yaml",
            "import: [catalog/base]\nvars: {stage: dev}\ncomponents: {terraform: {box: {vars: {v: '{{ .locals.x }}'}}}}\n",
        );
    sole(&world, "leaked-local", &["local `x` is defined in catalog/base.yaml:1"]);
    // Files that only such a manifest imports are still checked.
    let world = World::new()
        .stack("catalog/orphan.yaml", "locals: {x: 1}\nvars: {a: 1}\n")
        .stack("deploy/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {box: {}}}\n");
    sole(&world, "unused-local", &["catalog/orphan.yaml:1 local `x`"]);
}

#[test]
fn unused_locals() {
    let world = with("locals:\n  used: 1\n  idle: 2\n  chain: '{{ .locals.used }}'\n", "'{{ .locals.used }}'");
    let found = reported(&world, "unused-local");
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].starts_with("deploy/dev.yaml:4 local `idle` is not used in deploy/dev.yaml"), "{found:#?}");
    for template in [
        "{{ .locals.a }}",
        "{{ $.locals.a }}",
        "{{ index .locals \"a\" }}",
        "{{ index .locals .vars.stage }}",
        "{{ range $k, $v := .locals }}{{ $v }}{{ end }}",
        "{{ with .locals }}{{ .a }}{{ end }}",
        "{{ toJson .locals }}",
        "{{ toJson . }}",
        "{{ $l := .locals }}{{ $l.a }}",
        "{{ define \"t\" }}{{ .locals.a }}{{ end }}{{ template \"t\" . }}",
        "{{ define \"t\" }}{{ .locals.a }}{{ end }}",
        "{{ if false }}{{ .locals.a }}{{ end }}",
        "{{ unparsable",
    ] {
        let world = with("locals: {a: 1}\n", &format!("'x{}'", template.replace('\'', "''")));
        assert_eq!(reported(&world, "unused-local"), [""; 0], "{template}");
    }
    // Import paths, contexts and keys use them too; so do functions.
    for text in [
        "import: ['catalog/{{ .locals.a }}']\n",
        "import: [{path: catalog/1, context: {c: '{{ .locals.a }}'}}]\n",
        "vars: {stage: dev, '{{ .locals.a }}': 1}\n",
        "settings: {t: !template '{{ .locals.a }}'}\n",
    ] {
        let world = World::new()
            .stack("catalog/1.yaml", "vars: {x: 1}\n")
            .stack("deploy/dev.yaml", &format!("locals: {{a: 1}}\n{text}"));
        assert_eq!(reported(&world, "unused-local"), [""; 0], "{text}");
    }
    // Not where the file itself is broken.
    let broken = dev("locals: {a: 1, b: '{{ .locals.b }}'}\n");
    assert_eq!(reported(&broken, "unused-local"), [""; 0]);
}

#[test]
fn locals_that_no_component_reads() {
    let world = |locals: &str, vars: &str, more: &str| {
        World::new()
            .stack(
                "catalog/base.yaml",
                &format!("components:\n  terraform:\n    base:\n      metadata: {{type: abstract}}\n      locals:\n        {locals}\n"),
            )
            .stack(
                "deploy/dev.yaml",
                &format!("import: [catalog/base]\nvars: {{stage: dev}}\n{more}components:\n  terraform:\n    box:\n      metadata: {{inherits: [base]}}\n      vars: {{v: {vars}}}\n"),
            )
    };
    let plain = |vars: &str| world("size: 3", vars, "");
    sole(
        &plain("1"),
        "unused-local",
        &["catalog/base.yaml:6 local `size` of component `base` is not used", "inherit from it"],
    );
    // Used by an heir, in any way, or by another component in an unknown way.
    for template in [
        "{{ .locals.size }}",
        "{{ index .locals \"size\" }}",
        "{{ index .locals .vars.stage }}",
        "{{ toJson .locals }}",
        "{{ $c := atmos.Component \"base\" .stack }}{{ $c.locals.size }}",
        "{{ toJson (atmos.Component \"base\" .stack) }}",
        "{{ (atmos.Component \"base\" .stack).locals.size }}",
        "{{ unparsable",
    ] {
        let world = plain(&format!("'x{}'", template.replace('\'', "''")));
        assert_eq!(reported(&world, "unused-local"), [""; 0], "{template}");
    }
    // Other sections of a component have nothing to do with its locals.
    let outputs = plain("'x{{ (atmos.Component \"base\" .stack).outputs.size }}'");
    assert_eq!(reported(&outputs, "unused-local").len(), 1, "{:#?}", outputs.findings());
    // By what all components have, by functions, by policies, by each other.
    for more in [
        "settings: {t: 'x-{{ .locals.size }}'}\n",
        "terraform: {vars: {t: !template '{{ .locals.size }}'}}\n",
        "settings: {validation: {any: {schema_type: opa, schema_path: any.rego}}}\n",
    ] {
        assert_eq!(reported(&world("size: 3", "1", more), "unused-local"), [""; 0], "{more}");
    }
    assert_eq!(
        reported(&world("size: 3\n        twice: '{{ .locals.size }}'", "'{{ .locals.twice }}'", ""), "unused-local"),
        [""; 0]
    );
    // Where a stack that has it cannot be resolved, it may be used there.
    let broken = plain("1").stack(
        "deploy/prod.yaml",
        "import: [catalog/base]\nvars: {stage: prod}\ncomponents: {terraform: {bag: {metadata: {inherits: [nobody]}}}}\n",
    );
    assert_eq!(reported(&broken, "unused-local"), [""; 0]);
    // One heir of many is enough; components of another name or type do not count.
    let other = |own: &str| {
        plain("1").stack(
            "deploy/prod.yaml",
            &format!("import: [catalog/base]\nvars: {{stage: prod}}\ncomponents: {{{own}}}\n"),
        )
    };
    let uses = "vars: {v: '{{ .locals.size }}'}";
    assert_eq!(
        reported(&other(&format!("terraform: {{bag: {{metadata: {{inherits: [base]}}, {uses}}}}}")), "unused-local"),
        [""; 0]
    );
    assert_eq!(
        reported(&other(&format!("helmfile: {{bag: {{locals: {{size: 1}}, {uses}}}}}")), "unused-local").len(),
        1
    );
    // Atmos renders references to the file's own locals before it resolves those of a component.
    let both = World::new().stack(
        "deploy/dev.yaml",
        "locals: {size: 1}\nvars: {stage: dev}\ncomponents: {terraform: {box: {locals: {size: 2}, vars: {v: '{{ .locals.size }}'}}}}\n",
    );
    assert_eq!(reported(&both, "unused-local"), [""; 0]);
}

#[test]
fn locals_of_components_may_be_read_by_the_configuration() {
    let text = "vars: {stage: dev}\ncomponents: {terraform: {box: {locals: {size: 2}, vars: {v: 1}}}}\n";
    let world = || World::new().stack("deploy/dev.yaml", text);
    assert_eq!(reported(&world(), "unused-local").len(), 1, "{:#?}", world().findings());
    let command =
        "{name: x, component_config: {component: box, stack: dev}, steps: ['echo {{ .ComponentConfig.locals.size }}']}";
    let mut with_command = world();
    let config = with_command.files.entry("atmos.yaml".to_owned()).or_default();
    config.extend_from_slice(format!("commands: [{command}]\n").as_bytes());
    assert_eq!(reported(&with_command, "unused-local"), [""; 0]);
}
