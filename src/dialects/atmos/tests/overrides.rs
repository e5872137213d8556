//! `reference: atmos.md` section 4.7.

use super::{World, dev, json};

#[test]
fn overrides_win_over_the_component() {
    let found = dev("\
overrides: {vars: {o: global, p: global}, env: {E: o}, command: tofu}
terraform: {overrides: {vars: {p: terraform}}}
components: {terraform: {box: {vars: {o: own, p: own, q: own}}}, helmfile: {app: {vars: {p: own}}}}
");
    let boxed = found.get("box");
    assert_eq!(boxed["vars"], json("{stage: dev, o: global, p: terraform, q: own}"));
    assert_eq!(boxed["env"], json("{E: o}"));
    assert_eq!(boxed["command"], "tofu");
    assert_eq!(boxed["overrides"], json("{vars: {o: global, p: terraform}, env: {E: o}, command: tofu}"));
    let app = &found.stacks()["dev"]["components"]["helmfile"]["app"];
    assert_eq!(app["vars"], json("{stage: dev, o: global, p: global}"));
}

#[test]
fn overrides_follow_the_order_of_imports() {
    let component = |name: &str| format!("components: {{terraform: {{{name}: {{vars: {{o: own}}}}}}}}\n");
    let world = World::new()
        .stack("catalog/before.yaml", &component("before"))
        .stack("catalog/over.yaml", &format!("overrides: {{vars: {{o: over}}}}\n{}", component("inside")))
        .stack("catalog/after.yaml", &component("after"))
        .stack(
            "deploy/dev.yaml",
            &format!(
                "import: [catalog/before, catalog/over, catalog/after]\nvars: {{stage: dev}}\n{}",
                component("box")
            ),
        );
    for (name, expected) in [("before", "own"), ("inside", "over"), ("after", "over"), ("box", "over")] {
        assert_eq!(world.get(name)["vars"]["o"], expected, "{name}");
    }
}

#[test]
fn overrides_reach_into_imports_and_the_importer_wins() {
    let world = World::new()
        .stack("catalog/x.yaml", "overrides: {vars: {o: inner, i: inner}}\ncomponents: {terraform: {bag: {vars: {o: own}}}}\n")
        .stack(
            "deploy/dev.yaml",
            "import: [catalog/x]\nvars: {stage: dev}\noverrides: {vars: {o: outer}}\ncomponents: {terraform: {box: {vars: {o: own}}}}\n",
        );
    assert_eq!(world.get("bag")["vars"], json("{stage: dev, o: outer, i: inner}"));
    assert_eq!(world.get("box")["vars"], json("{stage: dev, o: outer, i: inner}"));
}

#[test]
fn overrides_of_one_stack_do_not_reach_another() {
    let world = World::new()
        .stack("catalog/x.yaml", "components: {terraform: {box: {vars: {o: own}}}}\n")
        .stack("deploy/dev.yaml", "import: [catalog/x]\nvars: {stage: dev}\noverrides: {vars: {o: dev}}\n")
        .stack("deploy/qa.yaml", "import: [catalog/x]\nvars: {stage: qa}\n");
    let stacks = world.stacks();
    assert_eq!(stacks["dev"]["components"]["terraform"]["box"]["vars"]["o"], "dev");
    assert_eq!(stacks["qa"]["components"]["terraform"]["box"]["vars"]["o"], "own");
}
