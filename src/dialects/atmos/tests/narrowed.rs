//! Questions about some stacks: the others are not resolved, and the answer is the same.

use super::{ATMOS, Atmos, World};
use crate::dialects::{Dialect, Scope, StackNames};
use crate::files::Files;
use crate::resolution::{Resolution, State};
use crate::source::Memory;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value as Json, to_value};
use std::collections::{BTreeMap, BTreeSet};

fn resolved(world: &World, scope: Scope<'_>) -> Resolution {
    let source = Memory::new("memory", world.files.clone());
    Atmos::new().resolve(&source, &world.project, &Files::default(), scope)
}

/// The stacks that are resolved for a question about one of them.
fn resolved_for(world: &World, stack: &str) -> Vec<String> {
    let is_wanted = |other: &str| other == stack;
    let found = resolved(world, Scope::Stacks(StackNames::new(&is_wanted)));
    let units = found.units.iter().filter(|unit| unit.state != State::OutOfScope);
    units.map(|unit| unit.name.to_string()).collect()
}

/// What a stack consists of.
fn content(resolution: &Resolution, stack: &str) -> BTreeMap<String, Json> {
    let components = resolution.units.iter().flat_map(|unit| &unit.components).filter(|one| *one.stack == *stack);
    components.map(|one| (format!("{}/{}", one.kind, one.name), to_value(&one.value).unwrap())).collect()
}

/// Two stacks that import a file which names one of them.
fn two(named_by: &str) -> World {
    let stack = |text: &str| format!("{text}components: {{terraform: {{app: {{}}}}}}\n");
    let import = format!("import: [mixins/{named_by}]\n");
    World::new()
        .file("stacks/mixins/prod.yaml", "vars: {stage: prod}\n")
        .file("stacks/mixins/computed.yaml", "vars: {stage: \"{{ .settings.stage }}\"}\nsettings: {stage: prod}\n")
        .file("stacks/mixins/far.yaml", "import: ['git::https://example.com/x.git//a.yaml']\nvars: {stage: prod}\n")
        .file("stacks/deploy/one.yaml", &stack("vars: {stage: dev}\n"))
        .file("stacks/deploy/two.yaml", &stack(&import))
}

#[test]
fn only_what_may_be_asked_about_is_resolved() {
    assert_eq!(resolved_for(&two("prod"), "dev"), ["deploy/one"]);
    assert_eq!(resolved_for(&two("prod"), "prod"), ["deploy/two"]);
    assert_eq!(resolved_for(&two("prod"), "deploy/two"), ["deploy/two"]);
    // A template is no YAML.
    let import = "import: [{path: mixins/box, context: {name: q}}]\nvars: {stage: far}\n";
    let template = two("prod")
        .file("stacks/mixins/box.yaml.tmpl", "components:\n  terraform:\n    'queue-{{ .name }}':\n      x: 1\n");
    assert_eq!(resolved_for(&template.file("stacks/deploy/far.yaml", import), "dev"), ["deploy/one"]);
    // Only resolving shows the name.
    assert_eq!(resolved_for(&two("computed"), "dev"), ["deploy/one", "deploy/two"]);
    assert_eq!(resolved_for(&two("far"), "dev"), ["deploy/one", "deploy/two"]);
    let named_by = |template: &str| ATMOS.replace("name_pattern: '{stage}'", &format!("name_template: '{template}'"));
    let named = two("prod").file("atmos.yaml", &named_by("{{ .vars.tenant }}-{{ .vars.stage }}"));
    let named = named.file("stacks/mixins/prod.yaml", "vars: {stage: prod, tenant: net}\n");
    // The other one has no tenant, so it has no name, which is to be told.
    assert_eq!(resolved_for(&named, "net-prod"), ["deploy/one", "deploy/two"]);
    assert_eq!(resolved_for(&named, "net-dev"), ["deploy/one"]);
    // What no file writes, and what is not only put together.
    for template in ["{{ .backend.workspace_key_prefix }}", "{{ .vars.stage | upper }}"] {
        let named = two("prod").file("atmos.yaml", &named_by(template));
        assert_eq!(resolved_for(&named, "net-dev"), ["deploy/one", "deploy/two"]);
    }
}

const CONFIGURATIONS: [&str; 5] = [
    "name_pattern: '{stage}'",
    "name_pattern: '{tenant}-{stage}'",
    "name_template: '{{ .vars.tenant }}-{{ .vars.stage }}'",
    "name_template: '{{ .settings.stage }}'",
    "name_template: '{{ if .vars.tenant }}{{ .vars.tenant }}{{ else }}{{ .vars.stage }}{{ end }}'",
];
const IMPORTS: [&str; 7] = [
    "",
    "import: [catalog/a]\n",
    "import: ['catalog/*']\n",
    "import: [{path: catalog/t, context: {key: stage, value: prod}}]\n",
    "import: [{path: catalog/t, context: {key: other, value: dev}}]\n",
    "import: [{path: catalog/u, context: {vars: {stage: prod}}}]\n",
    "import: [catalog/b, catalog/a]\n",
];
const VARS: [&str; 14] = [
    "",
    "vars: {stage: dev}\n",
    "vars:\n  stage: prod\n  tenant: net # here\n",
    "vars: {\"stage\": qa, 'tenant': \"web\"}\n",
    "x: &x {stage: prod}\nvars: {<<: *x, tenant: net}\n",
    "x: &x prod\nvars: {stage: *x, tenant: &t net}\n",
    "settings: {of: dev}\nvars: {tenant: net, stage: '{{ .settings.of }}'}\n",
    "locals: {of: dev}\nvars: {tenant: net, stage: '{{ .locals.of }}'}\n",
    "vars: !include vars.yaml\n",
    "vars: {stage: 1, tenant: yes}\n",
    "vars:\n  ? stage\n  : prod\n  tenant:\n    net\n",
    "vars: {\"st\\u0061ge\": prod, tenant: net}\n",
    "vars: {tenant: net}\nterraform: {vars: {stage: dev}}\n",
    "vars: {stage: dev, tenant: web}\nsettings:\n  stage: prod\n",
];
const COMPONENTS: [&str; 6] = [
    "",
    "components: {terraform: {app: {vars: {x: 1}}}}\n",
    "components: {terraform: {app: {vars: {stage: prod}}, web: {settings: {stage: qa}}}}\n",
    "components: {terraform: {web: {metadata: {inherits: [base]}}, base: {metadata: {type: abstract}, vars: {stage: dev}}}}\n",
    "components: {terraform: {app: {}}, helmfile: {web: {vars: {tenant: net}}}}\noverrides: {vars: {stage: qa}}\n",
    "name: dev\ncomponents: {terraform: {app: {}}}\n",
];

/// A file: its imports, its variables, and its components.
fn file() -> impl Strategy<Value = String> {
    let parts = (select(IMPORTS.to_vec()), select(VARS.to_vec()), select(COMPONENTS.to_vec()));
    parts.prop_map(|(imports, vars, components)| format!("{imports}{vars}{components}"))
}

/// The configuration, two files that are imported, and three stacks.
fn texts() -> impl Strategy<Value = (&'static str, Vec<String>, Vec<String>)> {
    let catalog = (select(VARS.to_vec()), select(COMPONENTS.to_vec())).prop_map(|(vars, rest)| format!("{vars}{rest}"));
    (select(CONFIGURATIONS.to_vec()), prop::collection::vec(catalog, 2), prop::collection::vec(file(), 3))
}

fn world(names: &str, catalog: &[String], stacks: &[String]) -> World {
    let world = World::new()
        .file("atmos.yaml", &ATMOS.replace("name_pattern: '{stage}'", names))
        .file("vars.yaml", "stage: prod\ntenant: net\n")
        .file("stacks/catalog/t.yaml.tmpl", "vars:\n  {{ .key }}: {{ .value }}\n")
        .file("stacks/catalog/u.yaml.tmpl", "vars: {{ toJson .vars }}\n")
        .file("stacks/catalog/a.yaml", &catalog[0])
        .file("stacks/catalog/b.yaml", &catalog[1]);
    let named = ["dev", "prod", "other"].into_iter().zip(stacks);
    named.fold(world, |world, (name, text)| world.file(&format!("stacks/deploy/{name}.yaml"), text))
}

proptest! {
    #![proptest_config(crate::fuzz::cases(256))]

    #[test]
    fn a_question_about_a_stack_has_the_answer_of_all((names, catalog, stacks) in texts(), at in any::<Index>()) {
        let world = world(names, &catalog, &stacks);
        let all = resolved(&world, Scope::All);
        let mut stacks: BTreeSet<String> = all.units.iter().flat_map(|unit| &unit.components).map(|one| one.stack.to_string()).collect();
        stacks.extend(["dev", "prod", "net-prod"].map(String::from));
        let stack = at.get(&stacks.into_iter().collect::<Vec<_>>()).clone();
        let is_wanted = |other: &str| other == stack;
        let some = resolved(&world, Scope::Stacks(StackNames::new(&is_wanted)));
        prop_assert_eq!(content(&some, &stack), content(&all, &stack));
    }
}
