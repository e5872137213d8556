//! Component types that Atmos does not build itself (`reference: atmos.md` section 4.3, last item, and 14).

use super::{dev, json};

#[test]
fn containers_overlay_variables_shallowly() {
    let stacks = dev("\
settings: {s: {a: 1}}
components: {container: {base: {vars: {m: {x: 1}, n: {y: 1}}, metadata: {custom: {k: v}, type: abstract}}, app: {metadata: {inherits: [base, ghost]}, vars: {m: {z: 2}}, image: nginx}}}
")
    .stacks();
    let app = &stacks["dev"]["components"]["container"]["app"];
    assert_eq!(app["vars"], json("{stage: dev, m: {x: 1, z: 2}, n: {y: 1}}"));
    assert_eq!(app["image"], "nginx");
    assert_eq!(app["metadata"]["custom"], json("{k: v}"));
    assert_eq!(app["metadata"].get("type"), None);
    for absent in ["auth", "command", "inheritance", "overrides"] {
        assert_eq!(app.get(absent), None, "{absent}");
    }
}

#[test]
fn globals_are_replaced_whole() {
    let stacks = dev("env: {E: {a: 1}}\ncomponents: {container: {app: {env: {E: {b: 2}}}}}\n").stacks();
    assert_eq!(stacks["dev"]["components"]["container"]["app"]["env"], json("{E: {b: 2}}"));
}

#[test]
fn other_types_are_not_printed() {
    let stacks = dev("components: {mytype: {x: {vars: {a: 1}}}, terraform: {box: {}}}\n").stacks();
    assert_eq!(stacks["dev"]["components"].as_object().unwrap().keys().collect::<Vec<_>>(), ["terraform"]);
}
