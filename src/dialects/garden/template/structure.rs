//! From plain data to a tree with templates: strings are parsed, and the structural operators `$merge`, `$concat`, `$if` and
//! `$forEach` are recognised by their keys.

use super::failure::{Failure, FailureKind, natural_list};
use super::node::{Data, Lazy, Node, Object, Operator, OperatorKind, keys};
use super::syntax::ast::LanguageVersion;
use super::syntax::parse;
use crate::text::Text;
use std::sync::Arc;

/// Parses data with templates in it. What cannot be parsed becomes `undefined`, and its failure is added.
pub(crate) fn parse_tree(node: &Node, era: LanguageVersion, path: &[&str], failures: &mut Vec<Failure>) -> Node {
    let path = path.iter().map(|segment| Text::from(*segment)).collect();
    Parser { era, path, failures }.value(node)
}

struct Parser<'a> {
    era: LanguageVersion,
    path: Vec<Text>,
    failures: &'a mut Vec<Failure>,
}

impl Parser<'_> {
    fn value(&mut self, node: &Node) -> Node {
        match &node.data {
            Data::Text(text) if text.contains("${") => self.text(text, node),
            Data::List(items) => self.list(items, node),
            Data::Map(map) => self.map(map, node),
            _ => node.clone(),
        }
    }

    fn text(&mut self, text: &Text, node: &Node) -> Node {
        let path = Text::from(self.path.join("."));
        match parse::parse(text, &path, self.era) {
            Ok(Some(template)) => Node::lazy(Lazy::Template(template), node.prov.clone()),
            Ok(None) => node.clone(),
            Err(error) => {
                let outermost = error.raw == *text;
                self.failures.push(*Failure::parse(&error, self.era, &path, &node.prov, outermost));
                Node::at(Data::Undefined, node.prov.clone())
            }
        }
    }

    fn list(&mut self, items: &Arc<Vec<Node>>, node: &Node) -> Node {
        let numbered = items.iter().enumerate();
        let parsed: Vec<Node> = numbered.map(|(i, item)| self.below(&i.to_string(), |p| p.value(item))).collect();
        let parsed = Arc::new(parsed);
        if items.iter().any(|item| item.get(keys::CONCAT).is_some()) {
            return operator(OperatorKind::Concat(parsed), node);
        }
        Node::at(Data::List(parsed), node.prov.clone())
    }

    fn map(&mut self, map: &Arc<Object>, node: &Node) -> Node {
        if node.get(keys::FOR_EACH).is_some() {
            return self.for_each(map, node);
        }
        if let Some(test) = node.get(keys::IF) {
            return self.condition(map, test, node);
        }
        let entry = |(key, value): (&Text, &Node)| (Text::clone(key), self.below(key, |p| p.value(value)));
        let parsed: Arc<Object> = Arc::new(map.iter().map(entry).collect());
        if map.get(keys::MERGE).is_some() {
            return operator(OperatorKind::Merge(parsed), node);
        }
        Node::at(Data::Map(parsed), node.prov.clone())
    }

    fn for_each(&mut self, map: &Object, node: &Node) -> Node {
        const ALLOWED: [&str; 3] = [keys::FOR_EACH, keys::RETURN, keys::FILTER];
        let extra = unexpected(map, &ALLOWED);
        if !extra.is_empty() {
            let allowed = match self.era {
                LanguageVersion::Cedar => format!(". Allowed keys: {}", natural_list(&ALLOWED)),
                LanguageVersion::Bonsai => String::new(),
            };
            let keys = natural_list(&extra);
            return self.refuse(node, format!("Found one or more unexpected keys on $forEach object: {keys}{allowed}"));
        }
        let (Some(input), Some(result)) = (node.get(keys::FOR_EACH), node.get(keys::RETURN)) else {
            let got = match self.era {
                LanguageVersion::Cedar => format!(" Got {}", natural_list(&map.keys().collect::<Vec<_>>())),
                LanguageVersion::Bonsai => String::new(),
            };
            return self.refuse(node, format!("Missing $return field next to $forEach field.{got}"));
        };
        let input = self.below(keys::FOR_EACH, |p| p.value(input));
        let flattened = result.get(keys::CONCAT);
        let result = self.below(keys::RETURN, |p| match flattened {
            Some(inner) => p.below(keys::CONCAT, |p| p.value(inner)),
            None => p.value(result),
        });
        let filter = node.get(keys::FILTER).map(|filter| self.below(keys::FILTER, |p| p.value(filter)));
        let each = operator(OperatorKind::ForEach { input, filter, result }, node);
        if flattened.is_some() { operator(OperatorKind::Flatten(each), node) } else { each }
    }

    fn condition(&mut self, map: &Object, test: &Node, node: &Node) -> Node {
        const ALLOWED: [&str; 3] = [keys::IF, keys::THEN, keys::ELSE];
        let Some(then) = node.get(keys::THEN) else {
            let got = match self.era {
                LanguageVersion::Cedar => format!(" Got: {}", natural_list(&map.keys().collect::<Vec<_>>())),
                LanguageVersion::Bonsai => String::new(),
            };
            return self.refuse(node, format!("Missing $then field next to $if field.{got}"));
        };
        let extra = unexpected(map, &ALLOWED);
        if !extra.is_empty() {
            let allowed = match self.era {
                LanguageVersion::Cedar => format!(". Allowed: {}", natural_list(&ALLOWED)),
                LanguageVersion::Bonsai => String::new(),
            };
            let keys = natural_list(&extra);
            return self.refuse(node, format!("Found one or more unexpected keys on $if object: {keys}{allowed}"));
        }
        let test = self.below(keys::IF, |p| p.value(test));
        let then = self.below(keys::THEN, |p| p.value(then));
        let otherwise = node.get(keys::ELSE).map(|node| self.below(keys::ELSE, |p| p.value(node))).unwrap_or_default();
        operator(OperatorKind::If { test, then, otherwise }, node)
    }

    fn below<T>(&mut self, key: &str, run: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(key.into());
        let done = run(self);
        self.path.pop();
        done
    }

    fn refuse(&mut self, node: &Node, message: String) -> Node {
        self.failures.push(*Failure::plain(FailureKind::Structure, message, &node.prov));
        Node::at(Data::Undefined, node.prov.clone())
    }
}

fn operator(kind: OperatorKind, node: &Node) -> Node {
    Node::lazy(Lazy::Operator(Operator { kind, source: node.clone() }), node.prov.clone())
}

/// The keys of a mapping beyond those that are allowed, in quotes.
fn unexpected(map: &Object, allowed: &[&str]) -> Vec<String> {
    map.keys().filter(|key| !allowed.contains(&key.as_str())).map(|key| format!("{key:?}")).collect()
}
