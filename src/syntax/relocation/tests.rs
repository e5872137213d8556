use super::*;
use crate::files::Files;

/// The text after the entry whose key is written `key` was moved.
fn relocated(text: &str, key: &str, wanted: Move<'_>) -> Option<String> {
    let files = Files::default();
    let file = files.get(files.add("a.yaml", "1", || text.into()));
    let replacements = relocate(&file, text.find(key).unwrap() as u32, wanted)?;
    let (mut out, mut at) = (String::new(), 0);
    for (range, new) in replacements {
        out.push_str(&text[at..range.start]);
        out.push_str(&new);
        at = range.end;
    }
    Some(out + &text[at..])
}

fn dependencies(text: &str) -> Option<String> {
    relocated(text, "depends_on", Move { keys: 2, to: &["dependencies", "components"], as_list: true })
}

fn width(text: &str) -> Option<String> {
    let to = ["settings", "terminal", "max_width"];
    relocated(text, "max-width", Move { keys: 2, to: &to, as_list: false })
}

#[test]
fn entries_in_lines() {
    for (text, expected) in [
        ("docs:\n  max-width: 80\n", "settings:\n  terminal:\n    max_width: 80\n"),
        ("docs: {max-width: 80}\n", "settings:\n  terminal:\n    max_width: 80\n"),
        (
            "a: 1\ndocs:\n    # how wide\n    max-width: 80 # columns\n    x: 1\nb: 2\n",
            "a: 1\ndocs:\n    x: 1\nsettings:\n    terminal:\n        # how wide\n        max_width: 80 # columns\nb: 2\n",
        ),
        (
            "settings:\n  x: 1\n  terminal:\n    color: true\ndocs:\n  max-width: 80\n",
            "settings:\n  x: 1\n  terminal:\n    color: true\n    max_width: 80\n",
        ),
        ("docs:\r\n  max-width: 80\r\nb: 1\r\n", "settings:\r\n  terminal:\r\n    max_width: 80\r\nb: 1\r\n"),
        (
            "docs:\n  max-width:\n    deep: [1,\n      2]\n",
            "settings:\n  terminal:\n    max_width:\n      deep: [1,\n        2]\n",
        ),
    ] {
        assert_eq!(width(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn maps_become_lists() {
    for (text, expected) in [
        (
            "vpc:\n  settings:\n    depends_on:\n      1:\n        component: a\n      2:\n        component: b\n  vars: {}\n",
            "vpc:\n  dependencies:\n    components:\n      - component: a\n      - component: b\n  vars: {}\n",
        ),
        (
            "vpc:\n  settings:\n    x: 1\n    # what for\n    depends_on: # all\n      # first\n      2: {component: a} # one\n      # second\n      1: # other\n        # below\n        component: b # two\n  vars: {}\n",
            "vpc:\n  settings:\n    x: 1\n  dependencies:\n    # what for\n    components: # all\n      # first\n      - {component: a} # one\n      # second\n      # other\n      # below\n      - component: b # two\n  vars: {}\n",
        ),
        (
            "vpc:\n  dependencies:\n    tools: {x: '1'}\n  settings: {depends_on: {1: {component: a}}, y: 1}\n",
            "vpc:\n  dependencies:\n    tools: {x: '1'}\n    components: [{component: a}]\n  settings: {y: 1}\n",
        ),
        (
            "vpc: {settings: {depends_on: {1: {component: a}}}, vars: {}}\n",
            "vpc: {dependencies: {components: [{component: a}]}, vars: {}}\n",
        ),
        (
            "vpc: {settings: {y: 1, depends_on: {1: {component: a}}}}\n",
            "vpc: {settings: {y: 1}, dependencies: {components: [{component: a}]}}\n",
        ),
        (
            "vpc: {vars: {}, dependencies: {tools: {}}, settings: {y: 1, depends_on: {1: {component: a}}}}\n",
            "vpc: {vars: {}, dependencies: {tools: {}, components: [{component: a}]}, settings: {y: 1}}\n",
        ),
    ] {
        assert_eq!(dependencies(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn what_is_not_simple_stays() {
    let entry = "settings:\n    depends_on:\n      1: {component: a}\n";
    for text in [
        format!("vpc:\n  {entry}  dependencies: {{components: []}}\n"),
        format!("vpc:\n  {entry}  dependencies:\n"),
        format!("vpc:\n  {entry}  dependencies: &x {{tools: {{}}}}\n"),
        format!("vpc: &x\n  {entry}y: *x\n"),
        format!("x: &x {{}}\nvpc:\n  <<: *x\n  {entry}"),
        format!("vpc:\n  {}", entry.replace("settings:", "settings: # why")),
        format!("vpc:\n  {}", entry.replace("{component: a}", "&x {component: a}")),
        format!("vpc:\n  {}", entry.replace("{component: a}", "{component: '{{ .vars.x }}'}")),
        format!("vpc:\n  {}", entry.replace("{component: a}", "|\n        text")),
        format!("vpc:\n  {}    # {{{{ if true }}}}\n    x: 1\n", entry),
        format!("vpc:\n  {}  settings: {{}}\n", entry),
        "- settings:\n    depends_on: {1: {component: a}}\n".to_owned(),
        "vpc: {settings: {\n  depends_on: {1: {component: # a\n  b}}}}\n".to_owned(),
        "vpc: {settings: {\n  depends_on: [a]}}\n".to_owned(),
    ] {
        assert_eq!(dependencies(&text), None, "{text}");
    }
}

#[test]
fn comments_become_no_text() {
    let text = |end: &str| format!("settings:\n  x: 1\ndocs:\n  e: |\n    f\n  max-width: 80\n{end}");
    assert_eq!(width(&text("\n    # four")), None);
    assert_eq!(width(&text("\n\n    # four\nb: 1\n")), None);
    let moved = "settings:\n  x: 1\n  terminal:\n    max_width: 80\ndocs:\n  e: |\n    f\n";
    for end in ["\n# top\n", "\n  # two\n", "\nb: 1\n"] {
        assert_eq!(width(&text(end)), Some(format!("{moved}{end}")), "{end}");
    }
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// A map with the entry in it, with other entries, comments and blank lines around it.
    fn text() -> impl Strategy<Value = String> {
        let lines = |all: &'static [&'static str]| prop::collection::vec(prop::sample::select(all), 0..4);
        let top = &[
            "# top",
            "",
            "  # two",
            "x: 1",
            "y: &x 1",
            "z: *x",
            "<<: {}",
            "t: '{{ end }}'",
            "w: {a: 1}",
            "settings:\n  x: 1",
            "settings:\n  # t\n  terminal:\n    color: true # c",
            "settings: {terminal: {x: 1}}",
            "settings: {x: 1}",
            "settings:",
            "text: |\n  a",
            "- a",
        ][..];
        let inner =
            &["  # two", "    # four", "# top", "", "  a: 1", "  b: [1, 2]", "  c:\n    d: 1", "  e: |\n    f"][..];
        let entry = prop::sample::select(vec![
            "  max-width: 80",
            "  max-width: 80 # w",
            "  max-width: {a: {b: 1},\n    c: 2}",
            "  max-width:",
            "  max-width: |\n    x",
            "  max-width:\n    a: 1\n    # in\n    b: [1,\n      2]",
            "  'max-width': &x 1",
            "  max-width:\n  - 1\n  - 2",
            "  max-width: \"a\n    b\"",
        ]);
        let block = (lines(inner), entry, lines(inner))
            .prop_map(|(before, entry, after)| [vec!["docs:"], before, vec![entry], after].concat().join("\n"));
        let flow = prop::sample::select(vec![
            "docs: {max-width: 80}",
            "docs: {a: 1, max-width: 8} # d",
            "docs: {max-width: [1], b: 1}",
        ]);
        let docs = prop_oneof![3 => block, 1 => flow.prop_map(str::to_owned)];
        let end = prop::sample::select(vec!["\n", "\r\n"]);
        (lines(top), docs, lines(top), end, any::<bool>()).prop_map(|(before, docs, after, end, is_closed)| {
            let text = [before, vec![&docs], after].concat().join("\n").replace('\n', end);
            if is_closed { text + end } else { text }
        })
    }

    proptest! {
        #![proptest_config(crate::fuzz::cases(256))]

        #[test]
        fn only_the_place_differs(text in text()) {
            let Some(moved) = width(&text) else { return Ok(()) };
            let read = |text: &str| {
                let document = document_of(text.into()).ok()?;
                Tree::of(&document, document.root()?)
            };
            let to = ["settings", "terminal", "max_width"];
            let expected = read(&text).and_then(|old| old.moved(&["docs", "max-width"], &to, false));
            prop_assert!(expected.is_some(), "{}", moved);
            prop_assert_eq!(read(&moved).map(Tree::sorted), expected.map(Tree::sorted));
            // No comment is lost, and line ends stay what they are.
            prop_assert_eq!(moved.matches('#').count(), text.matches('#').count());
            let ends = if text.contains("\r\n") { moved.matches("\r\n").count() } else { moved.matches('\n').count() };
            prop_assert_eq!(moved.matches(['\n']).count(), ends);
        }
    }
}
