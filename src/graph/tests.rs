#![allow(clippy::unwrap_used, reason = "a test may fail")]
use super::*;
use proptest::prelude::*;

fn graph(edges: &[(&'static str, &'static str)]) -> Graph<&'static str, usize> {
    let mut graph = Graph::new();
    for (i, (from, to)) in edges.iter().enumerate() {
        graph.add_edge(*from, *to, i);
    }
    graph
}

fn cycles(edges: &[(&'static str, &'static str)]) -> Vec<String> {
    let graph = graph(edges);
    graph.cycles().iter().map(|c| c.iter().map(|s| *s.from).collect::<Vec<_>>().join(">")).collect()
}

#[test]
fn cycles_are_minimal_and_start_at_their_smallest_node() {
    assert_eq!(cycles(&[("a", "b"), ("b", "c")]), [""; 0]);
    assert_eq!(cycles(&[("a", "a")]), ["a"]);
    assert_eq!(cycles(&[("c", "a"), ("b", "c"), ("a", "b")]), ["a>b>c"]);
    assert_eq!(cycles(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("c", "a")]), ["a>b>c", "a>b>c>d"]);
    assert_eq!(cycles(&[("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")]), ["a>b", "b>c"]);
    assert_eq!(cycles(&[("x", "y"), ("y", "x"), ("x", "a"), ("a", "b"), ("b", "a")]), ["a>b", "x>y"]);
}

#[test]
fn the_first_of_several_edges_is_reported() {
    let graph = graph(&[("a", "b"), ("b", "a"), ("a", "b")]);
    let edges: Vec<usize> = graph.cycles()[0].iter().map(|s| *s.edge).collect();
    assert_eq!(edges, [0, 1]);
    assert_eq!(graph.edges(&"a").collect::<Vec<_>>(), [(&"b", &0), (&"b", &2)]);
    assert_eq!(graph.edges(&"nobody").count(), 0);
}

#[test]
fn what_can_be_reached() {
    let graph = graph(&[("a", "b"), ("b", "c"), ("c", "b"), ("d", "a")]);
    assert_eq!(graph.reachable(&"a"), BTreeSet::from([&"b", &"c"]));
    assert_eq!(graph.reachable(&"b"), BTreeSet::from([&"b", &"c"]));
    assert!(graph.reachable(&"nobody").is_empty());
    assert!(graph.reaches(&"d", &"c") && graph.reaches(&"c", &"c"));
    assert!(!graph.reaches(&"a", &"a") && !graph.reaches(&"a", &"nobody") && !graph.reaches(&"nobody", &"a"));
}

#[test]
fn long_chains_do_not_overflow() {
    let mut graph = Graph::new();
    for i in 0..30_000u32 {
        graph.add_edge(i, (i + 1) % 30_000, ());
    }
    assert_eq!(graph.cycles()[0].len(), 30_000);
    assert!(has_cycle((0..30_000).map(|i| (i, (i + 1) % 30_000))));
    assert!(!has_cycle((0..30_000).map(|i| (i, i + 1))));
}

proptest! {
    /// A node is on a reported cycle exactly if it reaches itself; every step of a cycle is an edge to the next one.
    #[test]
    fn cycles_cover_what_reaches_itself(edges in prop::collection::vec((0u8..12, 0u8..12), 0..40)) {
        let mut graph = Graph::new();
        for (i, (from, to)) in edges.iter().enumerate() {
            graph.add_edge(*from, *to, i);
        }
        for (from, to) in (0..12u8).flat_map(|a| (0..12u8).map(move |b| (a, b))) {
            prop_assert_eq!(graph.reaches(&from, &to), graph.reachable(&from).contains(&to));
        }
        let cycles = graph.cycles();
        prop_assert_eq!(has_cycle(edges.iter().map(|(from, to)| (u32::from(*from), u32::from(*to)))), !cycles.is_empty());
        let reported: BTreeSet<u8> = cycles.iter().flatten().map(|s| *s.from).collect();
        let expected: BTreeSet<u8> = (0..12).filter(|n| graph.reachable(n).contains(n)).collect();
        prop_assert_eq!(reported, expected);
        for cycle in &cycles {
            let next = cycle.iter().cycle().skip(1);
            for (step, next) in cycle.iter().zip(next) {
                prop_assert_eq!(edges[*step.edge], (*step.from, *next.from));
            }
            let distinct: BTreeSet<u8> = cycle.iter().map(|s| *s.from).collect();
            prop_assert_eq!(distinct.len(), cycle.len());
        }
        // The order of nodes does not affect which nodes are reported together.
        let mut again = Graph::new();
        for node in (0..12).rev() {
            again.add_node(node);
        }
        for (i, (from, to)) in edges.iter().enumerate() {
            again.add_edge(*from, *to, i);
        }
        prop_assert_eq!(&again.cycles(), &cycles);
    }
}
