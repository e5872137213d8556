//! `reference: atmos.md` sections 4.3 to 4.5.

use super::{dev, json};

#[test]
fn later_bases_win_and_the_component_wins_over_all() {
    let found = dev("components: {terraform: {a: {vars: {x: a, y: a, z: a}}, b: {vars: {y: b, z: b}}, box: {metadata: {inherits: [a, b]}, vars: {z: own}}}}\n").get("box");
    assert_eq!(found["vars"], json("{stage: dev, x: a, y: b, z: own}"));
    assert_eq!(found["inheritance"], json("[b, a]"));
}

#[test]
fn circles_are_reported_with_all_their_lines() {
    let files = crate::files::Files::default();
    let world = dev(
        "components:\n  terraform:\n    a:\n      metadata: {inherits: [b]}\n    b:\n      metadata: {inherits: [c]}\n    c:\n      metadata: {inherits: [a]}\n    box:\n      metadata: {inherits: [b]}\n",
    );
    use crate::dialects::Dialect;
    let source = crate::source::Memory::new("memory", world.files.clone());
    let resolution = super::Atmos::new().resolve(&source, &world.project, &files, super::Scope::All);
    let [finding] = &resolution.findings[..] else { panic!("{:#?}", resolution.findings) };
    assert_eq!((finding.rule.id(), finding.is_chain), ("inheritance-cycle", true));
    let line = |l: &crate::diagnostic::Label| format!("{} {}", files.get(l.file).line(l.start), l.message);
    let lines: Vec<String> = finding.related.iter().map(line).collect();
    assert_eq!(lines, ["5 `a` inherits from `b`", "7 `b` inherits from `c`", "9 `c` inherits from `a`"]);
    assert_eq!(finding.primary.start, finding.related[0].start);
}

#[test]
fn a_diamond_applies_its_top_again() {
    let found = dev("\
components:
  terraform:
    d: {vars: {o: d, p: d}}
    b: {metadata: {inherits: [d]}, vars: {o: b, p: b}}
    c: {metadata: {inherits: [d]}, vars: {p: c}}
    box: {metadata: {inherits: [b, c]}}
")
    .get("box");
    assert_eq!(found["vars"], json("{stage: dev, o: d, p: c}"));
    assert_eq!(found["inheritance"], json("[c, d, b]"));
}

#[test]
fn chains_are_listed_from_the_nearest() {
    let found = dev("\
components:
  terraform:
    base/root: {vars: {r: 1}}
    base2: {metadata: {inherits: [base/root]}}
    base3: {vars: {t: 1}}
    box: {metadata: {inherits: [base2, base3]}}
")
    .get("box");
    assert_eq!(found["inheritance"], json("[base3, base2, base/root]"));
    assert_eq!(found["vars"], json("{stage: dev, r: 1, t: 1}"));
}

#[test]
fn later_bases_erase_scalars() {
    let found = dev("\
components:
  terraform:
    a: {command: tofu, backend_type: s3, backend: {s3: {bucket: a}, gcs: {bucket: g}}, required_version: '1.1'}
    b: {vars: {x: 1}}
    one: {metadata: {inherits: [a]}}
    box: {metadata: {inherits: [a, b]}}
");
    assert_eq!(found.get("one")["command"], "tofu");
    assert_eq!(found.get("one")["backend_type"], "s3");
    assert_eq!(found.get("box")["command"], "terraform");
    assert_eq!(found.get("box")["backend_type"], "");
    assert_eq!(found.get("box")["required_version"], "1.1");
}

#[test]
fn legacy_component_is_a_base_below_the_others() {
    let world = dev("\
components:
  terraform:
    old: {vars: {x: old, y: old}}
    new: {vars: {y: new}}
    box: {component: old, metadata: {inherits: [new]}}
    bag: {component: old, metadata: {component: folder}}
");
    let found = world.get("box");
    assert_eq!(found["vars"], json("{stage: dev, x: old, y: new}"));
    assert_eq!(found["component"], "old");
    assert_eq!(world.get("bag")["component"], "folder");
}

#[test]
fn metadata_component_names_the_folder_only() {
    let world = dev("\
components:
  terraform:
    base: {metadata: {component: folder, type: abstract, custom: {k: v}}}
    box: {metadata: {inherits: [base]}}
    own: {metadata: {component: mine/deep}}
");
    let found = world.get("box");
    assert_eq!(found["component"], "box");
    assert_eq!(found["metadata"]["component"], "folder");
    assert_eq!(found["metadata"]["custom"], json("{k: v}"));
    assert_eq!(found["metadata"].get("type"), None);
    assert_eq!(found["component_info"]["component_path"], "components/terraform/box");
    assert_eq!(world.get("own")["component_info"]["component_path"], "components/terraform/mine/deep");
    assert_eq!(world.get("base")["metadata"]["type"], "abstract");
}

#[test]
fn metadata_is_not_inherited_where_that_is_off() {
    let world = dev("\
metadata: {labels: {team: x}}
components: {terraform: {base: {metadata: {custom: {k: v}}}, box: {metadata: {inherits: [base]}}}}
");
    assert_eq!(world.get("box")["metadata"], json("{labels: {team: x}, custom: {k: v}, inherits: [base]}"));
    let off = world.set("name_pattern: '{stage}'", "name_pattern: '{stage}', inherit: {metadata: false}");
    assert_eq!(off.get("box")["metadata"], json("{labels: {team: x}, inherits: [base]}"));
}

#[test]
fn bases_that_are_not_there() {
    let world = dev("components:\n  terraform:\n    box:\n      metadata:\n        inherits: [ghost]\n");
    world.fails(&["undefined-base-component stacks/deploy/dev.yaml:6", "`box`", "`ghost`"]);
    // Of another type, or of another manifest.
    let world = dev("components: {helmfile: {base: {}}, terraform: {box: {metadata: {inherits: [base]}}}}\n")
        .stack("deploy/qa.yaml", "vars: {stage: qa}\ncomponents: {terraform: {base: {}}}\n");
    world.fails(&["undefined-base-component", "`base`"]);
}

#[test]
fn a_sibling_of_a_broken_component_resolves() {
    let world = dev("components: {terraform: {box: {metadata: {inherits: [ghost]}}, bag: {vars: {x: 1}}}}\n");
    assert_eq!(world.stacks()["dev"]["components"]["terraform"]["bag"]["vars"]["x"], 1);
}

#[test]
fn circles() {
    // One that returns to the component itself is cut.
    let world = dev(
        "components: {terraform: {a: {metadata: {inherits: [b]}, vars: {x: a}}, b: {metadata: {inherits: [a]}, vars: {y: b}}}}\n",
    );
    assert_eq!(world.get("a")["vars"], json("{stage: dev, x: a, y: b}"));
    // One that does not is an error.
    let world = dev(
        "components: {terraform: {a: {metadata: {inherits: [b]}}, b: {metadata: {inherits: [a]}}, box: {metadata: {inherits: [a]}}}}\n",
    );
    let findings = world.findings();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].contains("circular") || findings[0].contains("cycle"), "{findings:?}");
}

#[test]
fn long_chains_of_bases_end() {
    let mut text = String::from("components:\n  terraform:\n    c0: {vars: {deep: 1}}\n");
    for i in 1..200 {
        text.push_str(&format!("    c{i}: {{metadata: {{inherits: [c{}]}}}}\n", i - 1));
    }
    // Every one of them resolves, or has a finding.
    let world = dev(&text);
    let resolution = world.resolution();
    assert!(resolution.components().len() == 200 || !resolution.findings.is_empty());
}
