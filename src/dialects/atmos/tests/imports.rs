//! `reference: atmos.md` section 3.

use super::{World, json};

const BOX: &str = "components: {terraform: {box: {}}}\n";

/// A stack `dev` that imports with these items.
fn importing(items: &str) -> World {
    World::new().stack("deploy/dev.yaml", &format!("import:\n{items}vars: {{stage: dev}}\n{BOX}"))
}

/// Files at these paths, each with a value that shows that it was read.
fn with(world: World, paths: &[&str]) -> World {
    paths.iter().fold(world, |w, path| {
        w.stack(path, &format!("vars: {{last: {path}, {}: 1}}\n", path.replace(['/', '.'], "_")))
    })
}

#[test]
fn paths_lead_to_files() {
    for (item, files, expected) in [
        ("catalog/x", &["catalog/x.yaml"][..], "catalog/x.yaml"),
        ("catalog/x", &["catalog/x.yml"], "catalog/x.yml"),
        ("catalog/x", &["catalog/x.yaml", "catalog/x.yml"], "catalog/x.yaml"),
        ("catalog/x", &["catalog/x.yaml", "catalog/x.yaml.tmpl"], "catalog/x.yaml"),
        ("catalog/x", &["catalog/x.yml", "catalog/x.yaml.tmpl"], "catalog/x.yml"),
        ("catalog/x", &["catalog/x.yaml.tmpl"], "catalog/x.yaml.tmpl"),
        ("catalog/x.yaml", &["catalog/x.yaml"], "catalog/x.yaml"),
        ("catalog/x.yaml", &["catalog/x.yaml", "catalog/x.yaml.tmpl"], "catalog/x.yaml.tmpl"),
        ("./x", &["deploy/_x.yaml", "deploy/x.yaml"], "deploy/x.yaml"),
        ("../catalog/x", &["catalog/x.yaml"], "catalog/x.yaml"),
        ("./_x", &["deploy/_x.yaml"], "deploy/_x.yaml"),
        ("/_x", &["deploy/_x.yaml"], "deploy/_x.yaml"),
        ("catalog/*", &["catalog/a.yaml", "catalog/b.yaml"], "catalog/b.yaml"),
        ("catalog/*", &["catalog/a.yaml", "catalog/b.yml"], "catalog/a.yaml"),
        ("catalog/**/*", &["catalog/a.yaml", "catalog/deep/er/b.yaml"], "catalog/deep/er/b.yaml"),
        ("catalog/{a,b}.yaml", &["catalog/a.yaml", "catalog/b.yaml", "catalog/c.yaml"], "catalog/b.yaml"),
        ("catalog/?.yaml", &["catalog/a.yaml", "catalog/bb.yaml"], "catalog/a.yaml"),
    ] {
        // `deploy/x.yaml` is a separate stack in one of the cases.
        let world = with(importing(&format!("  - '{item}'\n")), files);
        let found = world.stacks()["dev"]["components"]["terraform"]["box"].clone();
        assert_eq!(found["vars"]["last"], expected, "{item} among {files:?}: {:?}", world.findings());
    }
}

#[test]
fn what_is_not_found() {
    for item in ["catalog/gone", "catalog/v1.2", "catalog", "catalog/*.yml", "../../../x"] {
        let world = with(importing(&format!("  - '{item}'\n")), &["catalog/x.yaml", "catalog/v1.2.yaml"]);
        world.fails(&["unresolved-import stacks/deploy/dev.yaml:2", item.trim_start_matches("../")]);
    }
    importing("  - {path: catalog/gone, skip_if_missing: true}\n").get("box");
    importing("  - 'catalog/{{ .x }}'\n")
        .set("enabled: true, sprig", "enabled: false, sprig")
        .fails(&["unevaluable-import stacks/deploy/dev.yaml:2"]);
}

#[test]
fn what_is_elsewhere_is_reported() {
    for item in ["git::https://example.com/x", "https://example.com/x.yaml", "github.com/acme/x//y"] {
        importing(&format!("  - '{item}'\n")).fails(&["incomplete-analysis stacks/deploy/dev.yaml:2"]);
    }
}

#[test]
fn forms_of_import() {
    for (text, line) in
        [("import: catalog/x\n", 1), ("import: [null]\n", 1), ("import: [7]\n", 1), ("import:\n  - {context: {}}\n", 2)]
    {
        let world = World::new().stack("deploy/dev.yaml", &format!("{text}vars: {{stage: dev}}\n"));
        world.fails(&[&format!("stacks/deploy/dev.yaml:{line}")]);
    }
    let nothing = World::new().stack("deploy/dev.yaml", &format!("import: []\nvars: {{stage: dev}}\n{BOX}"));
    nothing.get("box");
}

#[test]
fn later_imports_win_and_the_file_wins_over_all() {
    let world = importing("  - catalog/a\n  - catalog/b\n")
        .stack("catalog/a.yaml", "vars: {x: a, y: a, stage: a}\n")
        .stack("catalog/b.yaml", "import: [catalog/c]\nvars: {y: b}\n")
        .stack("catalog/c.yaml", "vars: {x: c, y: c, z: c}\n");
    assert_eq!(world.get("box")["vars"], json("{x: c, y: b, z: c, stage: dev}"));
}

#[test]
fn a_file_imported_twice_is_merged_twice() {
    let world = importing("  - catalog/a\n  - catalog/a\n").stack("catalog/a.yaml", "vars: {l: [1]}\n");
    assert_eq!(world.get("box")["vars"]["l"], json("[1]"));
    assert_eq!(world.atmos("settings: {list_merge_strategy: append}\n").get("box")["vars"]["l"], json("[1, 1]"));
}

#[test]
fn context_fills_a_file() {
    let world = importing("  - {path: catalog/x, context: {name: a, n: 3, l: [p, q], m: {k: v}}}\n").stack(
        "catalog/x.yaml",
        "components: {terraform: {'box-{{ .name }}': {vars: {n: '{{ .n }}', l: '{{ .l }}', m: '{{ .m }}', t: 'n{{ .n }}'}}}}\n",
    );
    assert_eq!(world.get("box-a")["vars"], json("{stage: dev, n: 3, l: [p, q], m: {k: v}, t: n3}"));
}

#[test]
fn the_outer_context_wins() {
    let world = importing("  - {path: catalog/outer, context: {who: outer}}\n")
        .stack("catalog/outer.yaml", "import:\n  - {path: catalog/inner, context: {who: inner, only: inner}}\n")
        .stack("catalog/inner.yaml", "vars: {who: '{{ .who }}', only: '{{ .only }}'}\n");
    assert_eq!(world.get("box")["vars"], json("{stage: dev, who: outer, only: inner}"));
}

#[test]
fn context_may_replace_sections() {
    let world = importing("  - {path: catalog/x, context: {vars: {c: context}}}\n")
        .stack("catalog/x.yaml", "vars: {x: 1, c: own}\n");
    assert_eq!(world.get("box")["vars"], json("{stage: dev, c: context}"));
}

#[test]
fn missing_context_is_an_error_unless_it_is_ignored() {
    let catalog = "vars:\n  a: 'x{{ .nope }}'\n";
    let world = |flags: &str| {
        importing(&format!("  - {{path: catalog/x, context: {{a: 1}}{flags}}}\n")).stack("catalog/x.yaml", catalog)
    };
    world("").fails(&["template-error stacks/catalog/x.yaml:2", "nope"]);
    assert_eq!(world(", ignore_missing_template_values: true").get("box")["vars"]["a"], "x<no value>");
    let everywhere =
        world("").set("enabled: true, sprig", "enabled: true, ignore_missing_template_values: true, sprig");
    assert_eq!(everywhere.get("box")["vars"]["a"], "x<no value>");
    // Without rendering the component sees the text.
    assert_eq!(world(", skip_templates_processing: true").get("box")["vars"]["a"], "x<no value>");
}

#[test]
fn skipped_templates_wait_for_the_component() {
    let world = importing("  - {path: catalog/x, context: {stage: wrong}, skip_templates_processing: true}\n")
        .stack("catalog/x.yaml", "vars: {a: 'x-{{ .vars.stage }}', b: '{{ .stage }}'}\n");
    assert_eq!(world.get("box")["vars"], json("{stage: dev, a: x-dev, b: <no value>}"));
}

#[test]
fn paths_see_earlier_imports() {
    let world = importing("  - catalog/region\n  - 'region/{{ .vars.region }}'\n")
        .stack("catalog/region.yaml", "vars: {region: eu}\n")
        .stack("region/eu.yaml", "vars: {found: eu}\n");
    assert_eq!(world.get("box")["vars"]["found"], "eu");
    // Its own variables are not known yet.
    importing("  - 'region/{{ .vars.stage }}'\n").fails(&["template-error stacks/deploy/dev.yaml:2", "stage"]);
    // Unless it has locals: then the whole text is rendered first.
    let world = World::new().stack("region/dev.yaml", "settings: {found: dev}\n").stack(
        "deploy/dev.yaml",
        &format!("locals: {{r: dev}}\nimport: ['region/{{{{ .locals.r }}}}']\nvars: {{stage: dev}}\n{BOX}"),
    );
    assert_eq!(world.get("box")["settings"]["found"], "dev");
}

#[test]
fn templates_as_files() {
    let text = "{{- if eq .size \"big\" }}\nvars: {n: 10}\n{{- else }}\nvars: {n: 1}\n{{- end }}\n";
    let world = importing("  - {path: catalog/x, context: {size: big}}\n").stack("catalog/x.yaml.tmpl", text);
    assert_eq!(world.get("box")["vars"]["n"], 10);
    let plain = importing("  - {path: catalog/x, context: {size: big}}\n").stack("catalog/x.yaml", text);
    plain.fails(&["stacks/catalog/x.yaml:1"]);
}

#[test]
fn cycles_end() {
    let world = importing("  - catalog/a\n")
        .stack("catalog/a.yaml", "import: [catalog/b]\n")
        .stack("catalog/b.yaml", "import:\n  - catalog/c\n")
        .stack("catalog/c.yaml", "import: [catalog/a]\n");
    world.fails(&["import-cycle stacks/catalog/a.yaml:1", "catalog/a.yaml → ", "catalog/b.yaml → ", "catalog/c.yaml"]);
    let itself = importing("  - deploy/*\n");
    itself.fails(&["import-cycle stacks/deploy/dev.yaml:2"]);
}

#[test]
fn long_chains_end() {
    let mut world = importing("  - chain/0\n");
    for i in 0..300 {
        world = world.stack(&format!("chain/{i}.yaml"), &format!("import: [chain/{}]\n", i + 1));
    }
    let findings = world.stack("chain/300.yaml", "vars: {}\n").findings();
    assert!(findings.iter().any(|f| f.contains("deeper than")), "{findings:?}");
}

#[test]
fn many_paths_to_one_file_are_walked_once() {
    // Two imports a level: four million ways.
    let mut world = importing("  - level/0\n");
    for i in 0..22 {
        world = world.stack(&format!("level/{i}.yaml"), &format!("import: [level/{0}, level/{0}]\n", i + 1));
    }
    let world = world.stack("level/22.yaml", "vars: {deep: 1}\n");
    assert_eq!(world.get("box")["vars"]["deep"], 1);
    let most =
        world.resolution().units.iter().flat_map(|u| &u.components).map(|c| c.shaping_origins.iter().count()).max();
    assert!(most < Some(1_000), "{most:?} shaping_origins");
}
