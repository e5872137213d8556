use super::*;
use proptest::prelude::*;

/// Parts of documents that say something together, and some that do not.
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

    /// Whatever documents hold, resolving ends, and the same files give the same answer.
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
