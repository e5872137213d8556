use super::*;
use proptest::prelude::*;

/// Parts of documents that belong together, and some that do not.
const PIECES: [&str; 16] = [
    "kind: Run\nname: x\ntype: exec\nspec: {command: ['${var.a || 1}']}\n",
    "kind: Build\nname: x\ntype: exec\ndependencies: [run.x]\n",
    "kind: Run\nname: y\ntype: exec\nspec: {command: ['${actions.run.x.var.a}', '${actions.build.x.outputs.log}']}\n",
    "kind: Run\nname: x\ntype: exec\ndisabled: '${environment.name == \"dev\"}'\nspec: {command: [b]}\n",
    "variables: {a: '${var.b}', b: '${var.a}', list: [1, {$concat: '${var.list}'}]}\n",
    "variables: {$merge: '${var.m}', m: {$if: '${var.a}', $then: 1}}\n",
    "kind: ConfigTemplate\nname: t\ninputs: {i: {type: string}}\nconfigs: [{kind: Run, type: exec, name: 'r-${inputs.i}', spec: {command: [a]}}]\n",
    "kind: RenderTemplate\nname: r\ntemplate: t\ninputs: {i: x}\nmatrix: {i: [1, b]}\n",
    "kind: Module\nname: m\ntype: exec\ntests: [{name: t, command: [a]}]\nbuild: {dependencies: [m]}\n",
    "kind: Workflow\nname: w\nsteps: [{script: '${steps.b.log}'}, {name: b}]\n",
    "---\n",
    "<<: *a\n",
    "spec: ${\n",
    "kind: Project\n",
    "environments: [dev]\n",
    "varfiles: [garden.env, '${var.a}']\n",
];

proptest! {
    #![proptest_config(crate::fuzz::cases(64))]

    /// Whatever documents contain, resolving terminates, and the same files give the same result.
    #[test]
    fn resolving_ends_and_is_repeatable(pieces in prop::collection::vec(0..PIECES.len(), 0..8)) {
        let text: String = pieces.iter().map(|i| PIECES[*i]).collect();
        let world = World::with(&text).file("garden.env", "a=1\nm=${var.a}\n");
        prop_assert_eq!(world.stacks(), world.stacks());
        prop_assert_eq!(world.findings(), world.findings());
    }

    /// Damage anywhere in a project file is a finding at most.
    #[test]
    fn damage_is_no_defect(at in 0..PROJECT.len(), with in "[${}:\\-#'\" \na]{0,3}") {
        let text = format!("{}{with}{}", &PROJECT[..at], &PROJECT[at..]);
        let findings = World::of(&text).findings();
        prop_assert!(!findings.iter().any(|f| f.starts_with("internal-error")), "{findings:?}");
    }
}

/// Text written into a variable, an environment or a field of the project.
const EDITS: [&str; 8] =
    ["replicas: 4", "stage: ${var.region}", "region: us", "{extra: [1]}", "- name: test", "# x", "name: exec", ""];

/// The values of the components of an environment.
fn values(resolution: &Resolution, name: &str) -> Vec<(String, String)> {
    let unit = resolution.units.iter().find(|unit| *unit.name == *name);
    let all = unit.iter().flat_map(|unit| &unit.components);
    all.map(|c| (format!("{}.{}", c.kind, c.name), serde_json::to_string(&c.value).unwrap())).collect()
}

proptest! {
    #![proptest_config(crate::fuzz::cases(64))]

    /// An environment that an edit of the project does not reach is the same on both sides; the others are resolved as ever.
    #[test]
    fn environments_that_are_not_reached_are_the_same(line in 0..PROJECT.lines().count(), edit in 0..EDITS.len(), replaces: bool) {
        let actions = PIECES[2].to_owned() + "---\nkind: Run\nname: x\ntype: exec\nspec: {command: ['${var.stage}', '${var.region}']}\n";
        let mut lines: Vec<String> = PROJECT.lines().map(str::to_owned).collect();
        let indent: String = lines[line].chars().take_while(|c| *c == ' ').collect();
        match replaces {
            true => lines[line] = format!("{indent}{}", EDITS[edit]),
            false => lines.insert(line, format!("{indent}{}", EDITS[edit])),
        }
        let (old, new) = (World::with(&actions), World::of(&lines.join("\n")).file("a/garden.yml", &actions));
        let sides = [Memory::new("base", old.files.clone()), Memory::new("head", new.files.clone())];
        let (files, garden) = (Files::default(), Garden::default());
        let change = Change { path: "project.garden.yml".into(), kind: crate::source::ChangeKind::Modified };
        let both = [&sides[0] as &dyn Source, &sides[1]];
        let Some(reached) = garden.units_reached(both, &old.project, &files, &[change]) else { return Ok(()) };
        let resolve = |side: &Memory, scope| Garden::default().resolve(side, &old.project, &files, scope);
        let all = sides.each_ref().map(|side| resolve(side, Scope::All));
        let some = sides.each_ref().map(|side| resolve(side, Scope::Units(&reached)));
        for name in ["dev", "prod", "test"] {
            if reached.contains(name) {
                prop_assert_eq!(values(&all[1], name), values(&some[1], name));
            } else {
                prop_assert_eq!(values(&all[0], name), values(&all[1], name), "{}", name);
                prop_assert!(values(&some[1], name).is_empty());
            }
        }
    }
}
