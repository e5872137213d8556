//! Templates that put nothing but text of the data between their own text, as most do: they are run without all that others
//! need.

use super::ast::{Node, Piece};
use super::output::{Inputs, Rendered};
use super::{Limits, Template};
use shared_text::Text;
use traced_value::Value;

/// Renders the template; `None` if it is not simple, or a limit would be exceeded.
pub(super) fn run(template: &Template, data: &Value, limits: Limits) -> Option<Rendered> {
    if !template.simple {
        return None;
    }
    let (most_steps, most) = (limits.steps, limits.output);
    let fields = template.root.iter().filter(|node| !matches!(node, Node::Text(_))).count();
    let (mut out, mut inputs, mut steps) = (Rendered::default(), Inputs::with_capacity(fields), 0);
    out.text.reserve(template.text.len() + 32);
    out.segments.reserve_exact(template.root.len());
    // Nearly always all of them are in one section.
    let mut section: Option<(&Text, &Value)> = None;
    for piece in template.root.iter().filter_map(Node::piece) {
        let (text, src, own) = match piece {
            Piece::Text(span) => (&template.text[span.clone()], span.start, true),
            Piece::Field { path, span } => {
                let (first, rest) = path.split_first()?;
                let outer = match section.filter(|(name, _)| Text::ptr_eq(name, first)) {
                    Some((_, known)) => known,
                    None => section.insert((first, data.as_map()?.value_of(first)?)).1,
                };
                let value = rest.iter().try_fold(outer, |value, name| value.as_map()?.value_of(name))?;
                inputs.add(&value.prov);
                (value.as_str()?, span.start, false)
            }
        };
        steps += 2 + text.len() as u64 / 16;
        if steps > most_steps || out.text.len() + text.len() > most {
            return None;
        }
        out.push(text, src, own);
    }
    out.inputs = inputs.finish();
    Some(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]
    use super::super::{Builtins, MissingKey, TemplateOptions, eval, parse};
    use super::*;
    use proptest::prelude::*;
    use traced_value::{Data, FileId, Map, Origin};

    fn at(n: u32, data: Data) -> Value {
        Value::at(data, Origin { file: FileId::new(0), key: n, start: n, end: n + 1 })
    }

    fn data() -> Value {
        let inner = Map::from_iter([
            ("text".into(), at(1, Data::Str("a fairly long text of the data".into()))),
            ("number".into(), at(2, Data::Int(7))),
            ("null".into(), at(3, Data::Null)),
        ]);
        let all =
            [("vars".into(), at(4, Data::Map(inner.into()))), ("text".into(), at(5, Data::Str("{{ x }}".into())))];
        Value::map(Map::from_iter(all))
    }

    fn template(text: &str) -> Template {
        parse(text, &TemplateOptions { left: "", right: "", functions: &Builtins }).unwrap()
    }

    #[test]
    fn only_simple_templates_of_text_are_run() {
        let run = |text: &str| run(&template(text), &data(), Limits::default()).map(|out| out.text);
        assert_eq!(run("a {{ .vars.text }}{{.text}}").as_deref(), Some("a a fairly long text of the data{{ x }}"));
        assert_eq!(run("none").as_deref(), Some("none"));
        for more in [
            "{{ .vars.number }}",
            "{{ .vars.null }}",
            "{{ .vars.gone }}",
            "{{ .vars.text.deeper }}",
            "{{ .vars }}",
            "{{ . }}",
            "{{ $.text }}",
            "{{ .text | print }}",
            "{{ print .text }}",
            "{{ $x := .text }}",
            "{{ if .text }}{{ .text }}{{ end }}",
            "{{ define \"x\" }}{{ end }}{{ .text }}",
        ] {
            assert_eq!(run(more), None, "{more}");
        }
    }

    #[test]
    fn no_more_is_written_than_the_limits_allow() {
        let data = Value::map(Map::from_iter([("text".into(), Value::str("x".repeat(1 << 20)))]));
        // Fifty gigabytes, if they were written before anybody looks.
        let template = template(&"{{ .text }}".repeat(50_000));
        assert!(run(&template, &data, Limits::default()).is_none());
        assert!(run(&template, &data, Limits { steps: 100, ..Limits::default() }).is_none());
    }

    proptest! {
        /// Whatever is run here comes out as it does where all templates can be run, and uses up no less of the limits.
        #[test]
        fn it_makes_no_difference(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "{{ .vars.text }}", "{{- .text -}}", "{{ .vars.number }}", "{{ .gone }}", "{{/* c */}}", " a ", "\n", "é",
                    "{{ .text }}", "long enough to be counted as more than one step",
                ]),
                0..8,
            ),
            repeated in 0..12usize,
            steps in 100..200u64,
            room in 100..800usize,
        ) {
            struct Limited(Limits);
            impl super::super::Functions for Limited {
                fn limits(&self) -> Limits {
                    self.0
                }
                fn get(&self, _: &str) -> Option<super::super::Function> {
                    None
                }
                fn object(&self, _: &str) -> Option<super::super::Val> {
                    None
                }
            }
            let limits = Limits { steps, output: room };
            let template = template(&pieces.concat().repeat(repeated));
            if let Some(out) = run(&template, &data(), limits) {
                let whole = eval::walk(&template, &data(), MissingKey::Error, &Limited(limits)).unwrap();
                let inputs = |out: &Rendered| out.inputs.iter().map(|p| p.origin).collect::<Vec<_>>();
                prop_assert_eq!((&out.text, &out.segments, inputs(&out)), (&whole.text, &whole.segments, inputs(&whole)));
                prop_assert!(whole.missing.is_empty() && whole.unknowns.is_empty());
            }
        }
    }
}
