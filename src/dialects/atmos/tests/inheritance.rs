//! `reference: atmos.md` sections 4.3 to 4.5.

use super::{Json, Resolution, World, dev, json};
use proptest::prelude::*;

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
fn a_base_that_leads_back_to_the_component_is_left_out() {
    // `x` leads to `b` only for itself: what an abstract base names is not followed.
    let found = dev("\
components:
  terraform:
    a: {component: b}
    b: {metadata: {inherits: [x]}, vars: {b: 1}}
    x: {component: b, metadata: {type: abstract}, vars: {x: 1}}
");
    assert_eq!(found.get("a")["inheritance"], json("[b, x]"));
    assert_eq!(found.get("x")["inheritance"], json("[b]"));
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

/// Names of components. Each inherits from later ones only, whatever the order in which they are built.
const NAMES: [&str; 6] = ["c", "a", "e", "b", "f", "d"];

/// The bases of a component by number (those that are not later are left out), its legacy base, and a number that decides
/// about the rest of it.
type Written = (Vec<usize>, Option<usize>, usize);

/// A component of this number as flow YAML, named `name`.
fn written(number: usize, name: &str, (bases, legacy, rest): &Written) -> String {
    let is_later = |base: &&usize| **base > number;
    let bases: Vec<&str> = bases.iter().filter(is_later).map(|base| NAMES[*base]).collect();
    let legacy =
        legacy.as_ref().filter(is_later).map_or_else(String::new, |base| format!("component: {}, ", NAMES[*base]));
    let kind = if rest % 3 == 0 { "type: abstract, " } else { "" };
    let words = if rest % 2 == 0 { "command: tofu, backend_type: s3, " } else { "" };
    format!(
        "    {name}: {{{legacy}{words}metadata: {{{kind}inherits: [{}]}}, vars: {{own{number}: 1, x{}: {number}, l: [{number}]}}}}\n",
        bases.join(", "),
        rest % 4,
    )
}

/// The sections of a component that follow from its bases, and how many lines shaped it.
fn inherited(resolution: &Resolution, stack: &str, name: &str) -> Option<(Json, usize)> {
    let components = resolution.components();
    let component = &components.get(&(stack.into(), "terraform".into(), name.into()))?.component;
    let mut shown = serde_json::to_value(&component.value).ok()?;
    let component_name = shown["component"].take();
    let sections = ["vars", "inheritance", "command", "backend_type"].map(|section| shown[section].take());
    let code = component_name.as_str().filter(|code| *code != name).map(Json::from);
    Some((Json::from_iter(sections.into_iter().chain(code)), component.shaping_origins.own.len()))
}

proptest! {
    #![proptest_config(crate::fuzz::cases(16))]

    /// Sums of bases are cached for other components, for other bases, and for other stacks. The same component as the first
    /// one of the only stack, for which nothing is cached, is the same.
    #[test]
    fn cached_sums_are_the_same_as_computed_ones(
        all in prop::collection::vec((prop::collection::vec(0..6usize, 0..4), prop::option::weighted(0.2, 0..6usize), 0..12usize), 6),
        strategy in prop::sample::select(vec!["replace", "append", "merge"]),
        edited in 0..6usize,
    ) {
        let catalog: String = all.iter().enumerate().map(|(i, one)| written(i, NAMES[i], one)).collect();
        let edit = format!("components: {{terraform: {{{}: {{vars: {{x0: edited}}}}}}}}\n", NAMES[edited]);
        let edits = [("dev", ""), ("qa", ""), ("prod", &*edit)];
        let world = |first: &str, stacks: &[(&str, &str)]| {
            let world = World::new()
                .atmos(&format!("settings: {{list_merge_strategy: {strategy}}}\n"))
                .stack("catalog.yaml", &format!("components:\n  terraform:\n{first}{catalog}"));
            stacks.iter().fold(world, |world, (stage, edit)| {
                let text = format!("import: [catalog]\nvars: {{stage: {stage}}}\n{edit}");
                world.stack(&format!("deploy/{stage}.yaml"), &text)
            })
        };
        let cached = world("", &edits).resolution();
        for (i, one) in all.iter().enumerate() {
            let first = written(i, "\"0\"", one);
            for stack in edits.iter().filter(|(stage, _)| i != edited || *stage != "prod") {
                let own = inherited(&cached, stack.0, NAMES[i]);
                prop_assert_eq!(&own, &inherited(&world(&first, &[*stack]).resolution(), stack.0, "0"), "{} of\n{}", NAMES[i], catalog);
                prop_assert!(own.is_some());
            }
        }
    }
}
