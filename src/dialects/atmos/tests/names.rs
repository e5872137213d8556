//! `reference: atmos.md` sections 2.3 and 4.8: names of stacks and workspaces.

use super::World;

/// The address and workspace of `box` in a project that names stacks so.
fn named(setting: &str, manifest: &str) -> (String, String) {
    let world = World::new()
        .set("name_pattern: '{stage}'", setting)
        .stack("deploy/eu/one.yaml", &format!("{manifest}components: {{terraform: {{box: {{}}}}}}\n"));
    let stacks = world.stacks();
    assert_eq!(world.findings(), [""; 0]);
    let (stack, value) = stacks.as_object().and_then(|s| s.iter().next()).expect("a stack");
    (stack.clone(), value["components"]["terraform"]["box"]["workspace"].as_str().expect("text").to_owned())
}

#[test]
fn patterns() {
    let vars = "vars: {tenant: t, environment: e, stage: s, region: r}\n";
    for (pattern, name) in [
        ("{tenant}-{environment}-{stage}", "t-e-s"),
        ("{stage}", "s"),
        ("{stage}-prod-{region}", "s"),
        ("{environment}-{environment}", "e-e"),
    ] {
        let setting = format!("name_pattern: '{pattern}'");
        assert_eq!(named(&setting, vars), (name.to_owned(), name.to_owned()), "{pattern}");
    }
}

#[test]
fn templates() {
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    let vars = "vars: {tenant: t, stage: s}\nsettings: {x: y}\n";
    let setting = |t: &str| format!("name_template: '{t}'");
    assert_eq!(named(&setting("{{ .vars.tenant }}/{{ .vars.stage }}"), vars), pair("t/s", "t-s"));
    assert_eq!(named(&setting("{{ .vars.stage | upper }}-{{ .settings.x }}"), vars), pair("S-y", "S-y"));
    // Variables are not rendered yet, while the workspace is.
    let raw = "vars: {stage: 'x-{{ .settings.x }}'}\nsettings: {x: y}\n";
    assert_eq!(named(&setting("{{ .vars.stage }}"), raw), pair("x-{{ .settings.x }}", "x-y"));
    // An empty name falls back to the manifest.
    assert_eq!(named(&setting("{{ .vars.stage | trimAll \"s\" }}").replace('"', "`"), vars), pair("deploy/eu/one", ""));
}

#[test]
fn the_name_of_a_manifest_wins_and_is_inherited() {
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(named("name_pattern: '{stage}'", "name: mine\nvars: {stage: s}\n"), pair("mine", "mine"));
    let world = World::new()
        .stack("catalog/x.yaml", "name: handed/down\n")
        .stack("deploy/dev.yaml", "import: [catalog/x]\nvars: {stage: s}\ncomponents: {terraform: {box: {}}}\n");
    assert_eq!(world.names(), ["handed/down/box"]);
}

#[test]
fn templates_fail_on_missing_keys() {
    let world = World::new()
        .set("name_pattern: '{stage}'", "name_template: '{{ .vars.nope }}'")
        .stack("deploy/dev.yaml", "vars: {stage: s}\ncomponents: {terraform: {box: {}}}\n");
    world.fails(&["nope"]);
}

#[test]
fn a_component_may_belong_to_another_stack_than_its_file() {
    let world = World::new().stack(
        "deploy/dev.yaml",
        "vars: {stage: dev}\ncomponents: {terraform: {box: {}, bag: {vars: {stage: other}}}}\n",
    );
    assert_eq!(
        world.set("name_pattern: '{stage}'", "name_template: '{{ .vars.stage }}'").names(),
        ["dev/box", "other/bag"]
    );
}

#[test]
fn workspaces() {
    let workspace = |settings: &[(&str, &str)], text: &str| {
        let manifest = format!(
            "vars: {{tenant: t, environment: e, stage: dev, attributes: [a, b]}}\ncomponents: {{terraform: {{box: {{{text}}}}}}}\n"
        );
        let world = World::new().stack("deploy/one.yaml", &manifest).refused();
        let world = settings.iter().fold(world, |w, (from, to)| w.set(from, to));
        world.get("box")["workspace"].clone()
    };
    for (text, expected) in [
        ("", "dev"),
        ("metadata: {terraform_workspace: my/own}", "my-own"),
        ("metadata: {terraform_workspace_pattern: '{tenant}-{stage}-{attributes}'}", "t-dev-a-b"),
        ("metadata: {terraform_workspace_pattern: '{component}x{unknown}'}", "x{unknown}"),
        ("metadata: {terraform_workspace_template: '{{ .vars.tenant }}/w'}", "t-w"),
        ("metadata: {terraform_workspace: plain, terraform_workspace_pattern: '{stage}'}", "plain"),
        ("backend_type: http, backend: {http: {address: x}}", "default"),
        ("metadata: {component: other}", "dev"),
    ] {
        assert_eq!(workspace(&[], text), expected, "{text}");
    }
    let off = [("terraform: {base_path", "terraform: {workspaces_enabled: false, base_path")];
    assert_eq!(workspace(&off, ""), "default");
    let template = [("name_pattern: '{stage}'", "name_template: '{{ .vars.stage }}'")];
    assert_eq!(workspace(&template, "metadata: {terraform_workspace_pattern: '{tenant}-x'}"), "-x");
}

#[test]
fn manifest_keys() {
    let text = "vars: {stage: dev}\ncomponents: {terraform: {NAME: {}}}\n";
    for (path, key) in [
        ("deploy/a.yaml", "deploy/a"),
        ("deploy/b.yml", "deploy/b"),
        ("deploy/deep/c.d.yaml", "deploy/deep/c.d"),
        ("deploy/e.yaml.tmpl", "deploy/e.yaml.tmpl"),
    ] {
        // One plain manifest must be there for templates to count.
        let world = World::new()
            .stack(path, &text.replace("NAME", "box"))
            .stack("deploy/other.yaml", &text.replace("NAME", "bag"));
        assert_eq!(world.get("box")["atmos_stack_file"], key);
        assert_eq!(world.get("box")["atmos_manifest"], key);
    }
}

#[test]
fn what_is_a_stack() {
    let text = "vars: {stage: dev}\ncomponents: {terraform: {NAME: {}}}\n";
    let names = |included: &str| {
        let files = ["deploy/a.yaml", "deploy/deep/b.yml", "deploy/_c.yaml", "deploy/d.json", "other/e.yaml"];
        let world = World::new().set("'deploy/**/*'", included);
        let name = |f: &str| f.split(['/', '.']).rev().nth(1).expect("a stem").to_owned();
        let world = files.iter().fold(world, |w, f| w.stack(f, &text.replace("NAME", &name(f))));
        let stacks = world.stacks();
        let found = stacks.get("dev").map(|s| s["components"]["terraform"].as_object().expect("a map").clone());
        found.unwrap_or_default().keys().cloned().collect::<Vec<_>>().join(" ")
    };
    for (included, expected) in [
        ("'deploy/**/*'", "a b"),
        ("'deploy/*'", "a"),
        ("'deploy/**/*.yml'", "b"),
        ("'deploy/a'", "a"),
        ("'deploy'", ""),
        ("'**/*'", "a b e"),
        ("'deploy/*', 'other/*'", "a e"),
        ("'deploy/*', 'deploy/a*'", "a"),
        ("'{deploy,other}/*'", "a e"),
    ] {
        assert_eq!(names(included), expected, "{included}");
    }
}
