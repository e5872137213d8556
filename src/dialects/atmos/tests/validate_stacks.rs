//! Findings of Atmos' `validate stacks` that do not prevent a stack from being resolved.

use super::*;

/// A stack that is fine.
fn fine() -> World {
    dev("import: [catalog/base]\ncomponents: {terraform: {box: {}}}\n").stack("catalog/base.yaml", "vars: {a: 1}\n")
}

#[test]
fn every_manifest_is_held_against_the_schema() {
    fine().get("box");
    let world = fine()
        .stack("catalog/base.yaml", "terraform: {colour: red}\n")
        .stack("catalog/unused.yaml", "components: {terraform: {box: {metadata: {type: abstrct}}}}\n")
        .stack("other/notes.yml", "# nothing\n")
        .stack("other/zero.yaml", "")
        .stack("other/template.yaml.tmpl", "vars: []\n");
    let wanted = [
        "schema-violation stacks/catalog/base.yaml:1 `colour` is not allowed in `terraform`",
        "schema-violation stacks/catalog/unused.yaml:1 `components.terraform.box.metadata.type` must be one of `abstract`, `real`, not `abstrct`",
        "schema-violation stacks/other/notes.yml:1 a manifest must be a map, and there is nothing here",
    ];
    assert_eq!(sorted(world.findings()), wanted);
    assert!(world.resolution().findings.iter().all(|f| !f.is_breaking));
}

fn sorted(mut findings: Vec<String>) -> Vec<String> {
    findings.sort();
    findings
}

#[test]
fn excluded_paths_are_not_taken_from_the_stacks_folder() {
    let bad = "terraform: {colour: red}\n";
    let world = fine().stack("other/_x.yaml", bad).stack("deploy/draft.yaml", bad);
    let world = world.set("['**/_*']", "['**/_*', 'deploy/draft.yaml']");
    world.fails(&["schema-violation stacks/deploy/draft.yaml:1"]);
}

#[test]
fn a_file_is_checked_with_the_context_it_is_given() {
    let catalog = "components: {terraform: {'{{ .name }}': {metadata: {enabled: '{{ .on }}'}}}}\n";
    let with = |on: &str| {
        dev(&format!("import: [{{path: catalog/base, context: {{name: box, on: {on}}}}}]\n"))
            .stack("catalog/base.yaml", catalog)
    };
    // Nothing imports it without a context, where the template would be text instead of a boolean.
    with("true").get("box");
    with("maybe").fails(&["schema-violation stacks/catalog/base.yaml:1", "enabled` must be a boolean, not a string"]);
    // The stacks that import it may be skipped, but it is not: then it has no context.
    let alone = with("true").set("['deploy/**/*']", "['other/*']").stack("other/x.yaml", "vars: {stage: dev}\n");
    assert_eq!(alone.findings(), [""; 0]);
}

#[test]
fn what_only_a_template_imports_is_validated_without_its_context() {
    let catalog = "vars: {a: '{{ .name }}'}\nmetadata: {enabled: '{{ .on }}'}\n";
    let world = World::new()
        .stack("deploy/a.yaml", "vars: {stage: dev}\n")
        .stack("deploy/b.yaml.tmpl", "import: [{path: catalog/base, context: {name: n, on: true}}]\nvars: {stage: b}\n")
        .stack("catalog/base.yaml", catalog);
    world.fails(&["schema-violation stacks/catalog/base.yaml:2", "`metadata.enabled` must be a boolean"]);
}

#[test]
fn one_cause_is_reported_once() {
    for text in ["vars: []\n", "components: {terraform: {box: {vars: 5}}}\n", "import: {}\n", "metadata: {name: x}\n"] {
        let findings = World::new().stack("deploy/dev.yaml", text).findings();
        assert_eq!(findings.len(), 1, "{text}: {findings:#?}");
    }
}

#[test]
fn errors_in_files_that_no_stack_reaches() {
    let world = fine()
        .stack("lonely/a.yaml", "import: [lonely/b, gone]\n")
        .stack("lonely/b.yaml", "locals: {a: '{{ .locals.nope }}'}\n")
        .stack("lonely/c.yaml", "vars: [1\n");
    let found: Vec<String> =
        sorted(world.findings()).iter().map(|f| f.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect();
    let wanted = [
        "invalid-yaml stacks/lonely/c.yaml:2",
        "undefined-local stacks/lonely/b.yaml:1",
        "unresolved-import stacks/lonely/a.yaml:1",
    ];
    assert_eq!(found, wanted);
    assert!(world.resolution().findings.iter().all(|f| !f.is_breaking));
    assert!(!world.stacks()["dev"].is_null());
}

#[test]
fn an_included_file_at_fault_is_named() {
    let source =
        dev("settings: {a: !include bad.yaml}\ncomponents: {terraform: {box: {}}}\n").file("bad.yaml", "a: [\n");
    let resolution = source.resolution();
    let [finding] = resolution.findings.as_slice() else { panic!("{:#?}", resolution.findings) };
    assert_eq!((finding.rule.id(), finding.related.len()), ("unresolved-include", 1));
    assert_ne!(finding.primary.file, finding.related[0].file);
}

#[test]
fn components_that_are_configured_twice() {
    let manifest =
        |more: &str| format!("vars: {{stage: dev}}\ncomponents: {{terraform: {{box: {{vars: {{{more}}}}}}}}}\n");
    let two = |a: &str, b: &str| World::new().stack("deploy/a.yaml", a).stack("deploy/b.yaml", b);
    assert_eq!(two(&manifest("x: 1"), &manifest("x: 1")).findings(), [""; 0]);
    two(&manifest("x: 1, y: {a: 1}"), &manifest("x: 1, y: {a: 2}")).fails(&[
        "duplicate-component stacks/deploy/b.yaml:2",
        "`box` of stack `dev`",
        "`deploy/a` and `deploy/b`",
    ]);
    // A name of the manifest does not count here.
    let named = format!("name: blue\n{}", manifest("x: 2"));
    two(&manifest("x: 1"), &named).fails(&["duplicate-component stacks/deploy/b.yaml:3"]);
    let notes = two(&manifest("x: 1, y: {a: 1}"), &manifest("x: 1, y: {a: 2}")).resolution().findings.remove(0).notes;
    assert_eq!(notes, ["`deploy/a` and `deploy/b` differ in `vars.y.a`"]);
    // Abstract components and other types do not count.
    let of = |kind: &str, more: &str| format!("vars: {{stage: dev}}\ncomponents: {{{kind}: {{box: {{{more}}}}}}}\n");
    let abstract_one = |x: u8| of("terraform", &format!("metadata: {{type: abstract}}, vars: {{x: {x}}}"));
    assert_eq!(two(&abstract_one(1), &abstract_one(2)).findings(), [""; 0]);
    assert_eq!(two(&of("packer", "vars: {x: 1}"), &of("packer", "vars: {x: 2}")).findings(), [""; 0]);
}

#[test]
fn stacks_that_cannot_be_named() {
    let pattern = |text: &str| {
        World::new().set("'{stage}'", "'{tenant}-{stage}'").stack(
            "deploy/a.yaml",
            &format!("{text}\ncomponents: {{terraform: {{box: {{}}, bag: {{}}}}, packer: {{x: {{}}}}}}\n"),
        )
    };
    assert_eq!(pattern("vars: {tenant: t, stage: s}").findings(), [""; 0]);
    pattern("vars: {stage: s}").fails(&["stack-name-unresolved stacks/deploy/a.yaml:1", "`tenant`"]);
    pattern("vars: {tenant: t, stage: 5}")
        .fails(&["stack-name-unresolved stacks/deploy/a.yaml:1", "`stage` must be text, not a number"]);
    let text = "vars: {stage: s}\nname: mine";
    pattern(text).fails(&["stack-name-unresolved stacks/deploy/a.yaml:1"]);
    let packer = World::new().stack("deploy/a.yaml", "components: {packer: {x: {}}}\n");
    assert_eq!(packer.findings(), [""; 0]);
    fine().set(", name_pattern: '{stage}'", "").fails(&["invalid-config atmos.yaml:2", "name_template"]);
}

#[test]
fn folders_without_configuration_or_manifests() {
    let world = fine().file("atmos.d/README.md", "");
    world.fails(&["invalid-config atmos.d:1"]);
    let only = World::new().stack("deploy/a.yaml.tmpl", "vars: {stage: dev}\n");
    let finding = only.resolution().findings.remove(0);
    assert_eq!((finding.rule.id(), finding.related.len()), ("invalid-config", 1));
}

#[test]
fn a_change_checks_what_it_touches() {
    let changed = |path: &str| {
        let world = fine()
            .stack("catalog/base.yaml", "terraform: {colour: red}\n")
            .stack("catalog/unused.yaml", "terraform: {shape: round}\n");
        let source = Memory::new("memory", world.files.clone());
        let change = crate::source::Change { path: path.into(), kind: crate::source::ChangeKind::Modified };
        let resolution = Atmos::new().resolve(&source, &world.project, &Files::default(), Scope::Touched(&[change]));
        // The findings of a resolution come in the order in which threads read the files; reports sort them.
        let mut tokens: Vec<_> = resolution.findings.into_iter().filter_map(|f| f.token).collect();
        tokens.sort();
        tokens
    };
    assert_eq!(changed("stacks/catalog/base.yaml"), ["colour"]);
    assert_eq!(changed("stacks/catalog/unused.yaml"), ["shape"]);
    assert_eq!(changed("README.md"), [""; 0]);
    assert_eq!(changed("atmos.yaml"), ["colour", "shape"]);
}

#[test]
fn keys_that_are_nearly_known() {
    dev("vras: {a: 1}\n").fails(&["unknown-key stacks/deploy/dev.yaml:2 `vras`"]);
    let helpers = "var: &var {a: 1}\nhook: &hook\n  a: 1\nenvs: &envs [1]\n";
    assert_eq!(dev(helpers).findings(), [""; 0]);
}

#[test]
fn what_probably_was_meant() {
    let meant = |world: World| {
        let finding = world.resolution().findings.remove(0);
        let edit = finding.fix.map(|f| f.edits[0].clone());
        edit.map(|e| format!("{}: {}", finding.rule.id(), e.text))
    };
    let base = |text: &str| dev(text).stack("catalog/v1.2.yaml", "settings: {a: 1}\n");
    assert_eq!(meant(base("import: [catalog/v1.2]\n")).as_deref(), Some("unresolved-import: catalog/v1.2.yaml"));
    assert_eq!(meant(base("import: ['catlog/v1.2.yaml']\n")).as_deref(), Some("unresolved-import: catalog/v1.2.yaml"));
    assert_eq!(meant(base("import: [catalog]\n")), None);
    assert_eq!(meant(dev("import: [../x/y]\n")), None);
    assert_eq!(meant(dev("settings: {a: !envv HOME}\n")).as_deref(), Some("unknown-function: !env"));
    let inherits = "components: {terraform: {base: {}, box: {metadata: {inherits: ['bse']}}}}\n";
    assert_eq!(meant(dev(inherits)).as_deref(), Some("undefined-base-component: base"));
    assert_eq!(meant(dev("vras: {a: 1}\n")).as_deref(), Some("unknown-key: vars"));
    let closed = "components: {terraform: {box: {metadata: {inherit: []}}}}\n";
    assert_eq!(meant(dev(closed)).as_deref(), Some("schema-violation: inherits"));
}
