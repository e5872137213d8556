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

/// All of a resolution that others read.
fn shown(resolution: &Resolution, files: &Files) -> String {
    let path = |file: &FileId| files.get(*file).path.clone();
    let value = |c: &Arc<crate::resolution::Component>| (c.address(), serde_json::to_string(&c.value).unwrap());
    let unit = |unit: &Arc<Unit>| {
        let read: std::collections::BTreeSet<_> = unit.files.iter().map(path).collect();
        let components: Vec<_> = unit.components.iter().map(value).collect();
        format!("{} {:?} {:?} {read:?} {components:?}", unit.name, unit.state, unit.broken)
    };
    let findings =
        resolution.findings.iter().map(|f| (f.rule.id(), &f.message, path(&f.primary.file), f.primary.start));
    let units: Vec<_> = resolution.units.iter().map(unit).collect();
    format!("{units:?} {:?} {:?}", findings.collect::<std::collections::BTreeSet<_>>(), resolution.gap.is_some())
}

proptest! {
    #![proptest_config(crate::fuzz::cases(64))]

    /// After another state of the project, an environment is what it is alone.
    #[test]
    fn environments_after_an_edit_are_what_they_are_alone(line in 0..PROJECT.lines().count(), edit in 0..EDITS.len(), replaces: bool, has_values: bool) {
        let actions = PIECES[2].to_owned() + "---\nkind: Run\nname: x\ntype: exec\nspec: {command: ['${var.stage}', '${var.region}']}\n";
        let mut lines: Vec<String> = PROJECT.lines().map(str::to_owned).collect();
        let indent: String = lines[line].chars().take_while(|c| *c == ' ').collect();
        match replaces {
            true => lines[line] = format!("{indent}{}", EDITS[edit]),
            false => lines.insert(line, format!("{indent}{}", EDITS[edit])),
        }
        let (old, mut new) = (World::with(&actions), World::of(&lines.join("\n")).file("a/garden.yml", &actions));
        if has_values {
            new = new.file("garden.env", "a=1\n").file("garden.dev.env", "region=x\n");
        }
        let (garden, table) = (Garden::default(), Files::default());
        for world in [&old, &new, &old] {
            let source = Memory::new("memory", world.files.clone());
            let again = shown(&garden.resolve(&source, &world.project, &table, Scope::All), &table);
            let files = Files::default();
            prop_assert_eq!(again, shown(&Garden::default().resolve(&source, &world.project, &files, Scope::All), &files));
        }
    }
}
