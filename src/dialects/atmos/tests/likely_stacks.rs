//! Which manifests are resolved for a question about one stack.

use super::World;
use crate::dialects::atmos::Atmos;
use crate::dialects::{Dialect as _, Scope};
use crate::files::Files;
use crate::resolution::State;
use crate::source::{Change, ChangeKind, Memory};

const BOX: &str = "components: {terraform: {box: {vars: {a: 1}}}}\n";

fn world() -> World {
    World::new()
        .stack("mixins/dev.yaml", "vars:\n  stage: dev\n")
        .stack("mixins/prod.yaml", "vars: {\"stage\": 'prod'}\n")
        .stack("deploy/dev.yaml", &format!("import: [mixins/dev]\n{BOX}"))
        .stack("deploy/prod.yaml", &format!("import: [mixins/prod]\n{BOX}"))
        .stack("deploy/shop.yaml", &format!("name: shop\nvars: {{stage: x}}\n{BOX}"))
        .stack("deploy/computed.yaml", &format!("locals: {{s: lab}}\nvars: {{stage: '{{{{ .locals.s }}}}'}}\n{BOX}"))
}

fn likely(world: &World, stack: &str) -> Vec<String> {
    let source = Memory::new("memory", world.files.clone());
    let found = Atmos::new().likely_units(&source, &world.project, &Files::default(), stack);
    found.iter().map(|path| path.trim_start_matches("stacks/deploy/").trim_end_matches(".yaml").to_owned()).collect()
}

#[test]
fn manifests_whose_files_have_the_parts_of_a_name() {
    for (stack, expected) in [
        ("dev", &["computed", "dev"][..]),
        ("prod", &["computed", "prod"]),
        ("shop", &["computed", "shop"]),
        ("lab", &["computed"]),
        ("deploy/prod", &["computed", "prod"]),
        ("stacks/deploy/prod.yaml", &["computed", "prod"]),
    ] {
        assert_eq!(likely(&world(), stack), expected, "{stack}");
    }
    let template = world().set("name_pattern: '{stage}'", "name_template: 's-{{ .vars.stage }}'");
    assert_eq!(likely(&template, "s-dev"), ["computed", "dev"]);
    // Where imports are computed, anything may be.
    let computed = world().stack("deploy/any.yaml", &format!("import: ['mixins/{{{{ .x }}}}']\n{BOX}"));
    assert_eq!(likely(&computed, "dev"), ["any", "computed", "dev"]);
}

#[test]
fn what_is_likely_resolves_as_all_of_it_does() {
    let world = world();
    let source = Memory::new("memory", world.files.clone());
    let (atmos, files) = (Atmos::new(), Files::default());
    let units = atmos.likely_units(&source, &world.project, &files, "dev");
    let changes: Vec<Change> =
        units.into_iter().map(|path| Change { path: path.into(), kind: ChangeKind::Modified }).collect();
    let part = atmos.resolve(&source, &world.project, &files, Scope::Touched(&changes));
    let whole = atmos.resolve(&source, &world.project, &files, Scope::All);
    let dev = |resolution: &crate::resolution::Resolution| {
        let unit = resolution.units.iter().find(|unit| &*unit.name == "deploy/dev").cloned().unwrap();
        (unit.state, unit.components[0].value.clone(), unit.files.clone())
    };
    assert_eq!(dev(&part), dev(&whole));
    let prod = part.units.iter().find(|unit| &*unit.name == "deploy/prod").unwrap();
    assert_eq!(prod.state, State::OutOfScope);
}
