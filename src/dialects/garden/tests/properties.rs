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

/// Expressions of texts over `var.known`, `var.other`, and two variables of the environment of Garden.
fn expression() -> impl Strategy<Value = String> + Clone {
    let leaf = prop::sample::select(vec!["var.known", "var.other", "var.open", "local.env.A", "local.env.B", "'x'"]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        let three = (inner.clone(), inner.clone(), inner.clone());
        prop_oneof![
            two.clone().prop_map(|(a, b)| format!("({a} || {b})")),
            two.clone().prop_map(|(a, b)| format!("join([{a}, {b}], '-')")),
            two.clone().prop_map(|(a, b)| format!("({a} + {b})")),
            three.clone().prop_map(|(a, b, c)| format!("({a} == {b} ? {c} : {a})")),
            three.clone().prop_map(|(a, b, c)| format!("replace({a}, {b}, {c})")),
            three.prop_map(|(a, b, c)| format!("([{a}, {b}] contains {c} ? {a} : {b})")),
            inner.clone().prop_map(|a| format!("upper({a})")),
            inner.prop_map(|a| format!("split({a}, '-')[0]")),
        ]
    })
}

/// Values with expressions in them.
fn written() -> impl Strategy<Value = String> {
    let two = (expression(), expression());
    let three = (expression(), expression(), expression());
    prop_oneof![
        expression().prop_map(|a| format!("\"${{{a}}}\"")),
        two.clone().prop_map(|(a, b)| format!("\"${{if {a} == 'x'}}${{{b}}}${{else}}y${{endif}}-z\"")),
        three.clone().prop_map(|(a, b, c)| format!("{{$if: \"${{{a} == {b}}}\", $then: \"${{{c}}}\", $else: e}}")),
        two.clone().prop_map(|(a, b)| format!("[{{$concat: \"${{split({a}, '-')}}\"}}, \"${{{b}}}\"]")),
        three.prop_map(|(a, b, c)| format!(
            "{{$forEach: \"${{split({a}, '-')}}\", $filter: \"${{item.value != {b}}}\", $return: \"${{{c}}}\"}}"
        )),
        two.prop_map(|(a, b)| format!("{{$merge: {{a: \"${{{a}}}\"}}, b: \"${{{b}}}\"}}")),
    ]
}

proptest! {
    #![proptest_config(crate::fuzz::cases(128))]

    /// What differs when everything is known also differs when the environment of Garden is not.
    #[test]
    fn unknown_values_hide_no_difference(value in written(), open in expression(), environment: bool) {
        let world = |known: &str, is_known: bool| {
            let open = open.replace("var.open", "'o'");
            let project = PROJECT.replace("region: eu", &format!("known: {known}, other: w-x, open: \"${{{open}}}\""));
            let layer = if environment { "variables: {known: e-f}\n" } else { "" };
            let text = format!("kind: Run\nname: x\ntype: exec\n{layer}spec: {{command: [a]}}\n");
            let text = match environment {
                true => text.replace("e-f}", &format!("e-f, v: {value}}}")),
                false => format!("{text}variables: {{v: {value}}}\n"),
            };
            let mut world = World::of(&project).file("a/garden.yml", &text);
            if is_known {
                world.project.inputs.env.extend([("A".to_owned(), "x".to_owned()), ("B".to_owned(), "w-x".to_owned())]);
            }
            let all = world.resolve(&Files::default()).components();
            all.get(&("dev".into(), "run".into(), "x".into())).map(|placed| placed.component.value.clone())
        };
        let [known, unknown] = [true, false].map(|is_known| [world("k-1", is_known), world("k-2", is_known)]);
        prop_assert!(known[0] == known[1] || unknown[0] != unknown[1], "{:?} hidden by {:?}", known, unknown[0]);
    }
}
