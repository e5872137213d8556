use super::*;
use crate::query::graphs::Node;
use proptest::prelude::*;

/// A graph of a change.
fn sample() -> Graph {
    let mut graph = Graph::default();
    let edge = |label: &str, change| Edge { label: label.into(), place: Some(("x.yaml".into(), 3)), change };
    for (name, change, is_missing) in [
        ("dev/terraform/vpc", Change::Changed, false),
        ("dev/terraform/app", Change::Reached, false),
        ("dev/terraform/new <b>\"x\"", Change::Added, false),
        ("gone", Change::Removed, true),
    ] {
        graph.nodes.insert(name.into(), Node { change, is_missing });
    }
    for (from, to, label, change) in [
        ("dev/terraform/app", "dev/terraform/vpc", "reads: id", Change::Same),
        ("dev/terraform/app", "gone", "", Change::Removed),
        ("dev/terraform/new <b>\"x\"", "dev/terraform/app", "a|b", Change::Added),
    ] {
        graph.edges.insert((from.into(), to.into()), edge(label, change));
    }
    graph
}

fn written(graph: &Graph, format: Format) -> String {
    let mut out = Vec::new();
    write(&mut out, graph, About::Dependencies, format, &RenderOptions::default()).expect("memory takes everything");
    String::from_utf8(out).expect("text")
}

#[test]
fn formats() {
    let all = [Format::Text, Format::Dot, Format::Mermaid, Format::Json, Format::Svg];
    let text = all.map(|format| written(&sample(), format)).join("----\n");
    for part in ["digraph \"dependencies\"", "flowchart LR", "<svg xmlns", "\"graph\": \"dependencies\"", "&lt;b&gt;"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn cycles_end() {
    let mut graph = Graph::default();
    for name in ["a", "b"] {
        graph.nodes.insert(name.into(), Node::default());
    }
    for (from, to) in [("a", "b"), ("b", "a"), ("a", "a")] {
        graph.edges.insert((from.into(), to.into()), Edge::default());
    }
    assert!(written(&graph, Format::Text).starts_with("a\n├─ a (see above)\n└─ b\n   └─ a (see above)\n"));
    assert!(written(&graph, Format::Svg).ends_with("</svg>\n"));
}

proptest! {
    #![proptest_config(crate::fuzz::cases(64))]

    /// Whatever names hold, they are text: the picture is well-formed XML with two elements a node beyond the group.
    #[test]
    fn names_are_text(name in "\\PC{0,20}", other in ".{0,20}", edge in ".{0,10}") {
        let mut graph = Graph::default();
        for node in [&name, &other] {
            graph.nodes.insert(node.clone(), Node::default());
        }
        graph.edges.insert((name.clone(), other.clone()), Edge { label: edge, ..Edge::default() });
        let svg = written(&graph, Format::Svg);
        let mut reader = quick_xml::Reader::from_str(&svg);
        let mut groups = 0;
        loop {
            match reader.read_event().map_err(|e| TestCaseError::fail(format!("{e}: {svg}")))? {
                quick_xml::events::Event::Start(start) if start.name().as_ref() == "g" => groups += 1,
                quick_xml::events::Event::Eof => break,
                _ => {}
            }
        }
        prop_assert_eq!(groups, graph.nodes.len());
        for format in [Format::Dot, Format::Mermaid, Format::Text] {
            let text = written(&graph, format);
            prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        }
        // One statement a line: names cannot begin another one.
        prop_assert_eq!(written(&graph, Format::Mermaid).lines().count(), 2 + graph.nodes.len());
    }
}
