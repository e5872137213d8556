//! Mistakes in projects of actions.

use super::Planting;
use super::plant::Plant;

pub(crate) const ALL: &[Planting] = &[
    ("garden-array-index-merge", |p| {
        let text = p.text(p.tree.config);
        let text = text.replacen("  - name: dev\n", "  - name: dev\n    variables: {planted: [one]}\n", 1);
        let text = text.replacen("\nvariables:\n", "\nvariables:\n  planted: [first, second]\n", 1);
        p.write(p.tree.config, text);
        p.expect("planted: [one]");
    }),
    ("garden-context-phase", |p| {
        add(p, "kind: Run\nname: planted\ntype: exec\ndescription: \"${steps.planted.log}\"\nspec: {command: [a]}\n");
        p.expect("${steps.planted.log}");
    }),
    ("garden-disabled-output", |p| {
        let off = "kind: Run\nname: planted-off\ntype: exec\ndisabled: true\nspec: {command: [a]}\n";
        let reader =
            "kind: Run\nname: planted\ntype: exec\nspec: {command: [\"${actions.run.planted-off.outputs.log}\"]}\n";
        add(p, &format!("{off}---\n{reader}"));
        p.expect("${actions.run.planted-off.outputs.log}");
    }),
    ("garden-impure", |p| {
        add(p, "kind: Run\nname: planted\ntype: exec\nspec: {command: [\"${uuidv4()}\"]}\n");
        p.expect("${uuidv4()}");
    }),
    ("garden-matrix-single-key", |p| {
        let template = "kind: ConfigTemplate\nname: planted\nconfigs: []\n";
        add(
            p,
            &format!(
                "{template}---\nkind: RenderTemplate\nname: planted\ntemplate: planted\nmatrix: {{pick: [one, two]}}\n"
            ),
        );
        p.expect("pick: [one, two]");
    }),
    ("garden-merge-order", |p| {
        add(
            p,
            "kind: Run\nname: planted\ntype: exec\nvariables:\n  all: {first: 1, $merge: {second: 2}}\nspec: {command: [planted]}\n",
        );
        p.expect("$merge: {second: 2}");
    }),
    ("garden-operator-without-effect", |p| {
        add(p, "kind: Run\nname: planted\ntype: exec\nvariables: {all: {$then: [1]}}\nspec: {command: [planted]}\n");
        p.expect("$then: [1]");
    }),
    ("garden-optional-suffix", |p| {
        add(p, "kind: Run\nname: planted\ntype: exec\nspec: {command: [\"${project.name}?\"]}\n");
        p.expect("${project.name}?");
    }),
    ("garden-parent-shadow", |p| {
        let text = p.text(p.tree.config);
        let text = text.replacen(
            "  - name: dev\n",
            "  - name: dev\n    variables: {planted: a, reader: \"x${var.planted}\"}\n",
            1,
        );
        let text = text.replacen("\nvariables:\n", "\nvariables:\n  planted: b\n", 1);
        p.write(p.tree.config, text);
        p.expect("reader: \"x${var.planted}\"");
    }),
    ("garden-redundant-dependency", |p| {
        let build = "kind: Build\nname: planted\ntype: exec\nspec: {command: [a]}\n";
        let run = "kind: Run\nname: planted\ntype: exec\ndependencies: [build.planted]\nspec: {command: [\"${actions.build.planted.outputs.log}\"]}\n";
        add(p, &format!("{build}---\n{run}"));
        p.expect("dependencies: [build.planted]");
    }),
    ("garden-scalar-object-merge", |p| {
        let text = p.text(p.tree.config);
        let text = text.replacen("  - name: dev\n", "  - name: dev\n    variables: {planted: {one: 1}}\n", 1);
        let text = text.replacen("\nvariables:\n", "\nvariables:\n  planted: single\n", 1);
        p.write(p.tree.config, text);
        p.expect("planted: {one: 1}");
    }),
    ("garden-secret-reference", |p| {
        add(p, "kind: Run\nname: planted\ntype: exec\nspec: {command: [\"${secrets.planted}\"]}\n");
        p.expect("${secrets.planted}");
    }),
    ("garden-undefined-item", |p| {
        let item = "{$if: \"${project.name != 'planted'}\", $then: b}";
        add(p, &format!("kind: Run\nname: planted\ntype: exec\nspec: {{command: [a, {item}]}}\n"));
        p.expect("$then: b");
    }),
    ("garden-unknown-environment", |p| {
        add(p, "kind: Run\nname: planted\ntype: exec\nenvironments: [planted]\nspec: {command: [a]}\n");
        p.expect("environments: [planted]");
    }),
    ("garden-unused-input", |p| {
        add(p, "kind: ConfigTemplate\nname: planted\ninputs: {lost: {type: string, default: a}}\nconfigs: []\n");
        p.expect("inputs: {lost");
    }),
];

/// Adds a document.
fn add(p: &mut Plant, document: &str) {
    let text = format!("{}---\n{document}", p.text(p.tree.config));
    p.write(p.tree.config, text);
}
