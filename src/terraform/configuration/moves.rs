//! Earlier addresses of instances, from `moved` blocks and from those that follow where `count` is added or removed.

use crate::terraform::configuration::address::{Address, Endpoint};
use crate::terraform::configuration::expansion::OPEN;
use crate::terraform::evaluation::statics::Statics;
use crate::text::{FastMap, Text};

/// The most former addresses of one instance.
const MAX_FORMER: usize = 50;

/// A `moved` block.
#[derive(Debug)]
struct Move {
    /// The calls that lead to the module that it is in.
    scope: Vec<Text>,
    from: Endpoint,
    to: Endpoint,
}

/// The moves in all modules of a root module.
#[derive(Debug, Default)]
pub(crate) struct Moves {
    all: Vec<Move>,
    /// Their indexes by the block that they move to, or else by the name of the call.
    to_block: FastMap<Text, Vec<usize>>,
    to_call: FastMap<Text, Vec<usize>>,
}

impl Moves {
    /// Reads the moves of all modules.
    pub(super) fn of(statics: &Statics<'_>) -> Self {
        let mut all = Vec::new();
        for node in &statics.nodes {
            for moved in node.module.refactorings.iter().filter(|block| &*block.kind == "moved") {
                let end = |name: &str| Endpoint::read(&moved.block.arguments.get(name)?.expr, &|_| None);
                if let Some((from, to)) = end("from").zip(end("to")) {
                    all.push(Move { scope: node.path.clone(), from, to });
                }
            }
        }
        Moves::new(all)
    }

    fn new(all: Vec<Move>) -> Self {
        let (mut to_block, mut to_call) =
            (FastMap::<Text, Vec<usize>>::default(), FastMap::<Text, Vec<usize>>::default());
        for (index, moved) in all.iter().enumerate() {
            match (&moved.to.block, moved.to.modules.last()) {
                (Some((block, _)), _) => to_block.entry(block.clone()).or_default().push(index),
                (None, Some((call, _))) => to_call.entry(call.clone()).or_default().push(index),
                (None, None) => {}
            }
        }
        Moves { all, to_block, to_call }
    }

    /// The moves that may lead to an address, in their order.
    fn leading_to(&self, address: &Address) -> impl Iterator<Item = &Move> {
        let calls = address.modules.iter().filter_map(|(name, _)| self.to_call.get(name));
        let mut indexes: Vec<usize> = calls.chain(self.to_block.get(&address.block)).flatten().copied().collect();
        indexes.sort_unstable();
        indexes.dedup();
        indexes.into_iter().map(|index| &self.all[index])
    }

    /// The addresses that an instance may have had before, the nearest first.
    pub(crate) fn former(&self, address: &Address) -> Vec<Address> {
        let mut found = vec![address.clone()];
        let mut next = 0;
        while next < found.len() && found.len() < MAX_FORMER {
            let current = found[next].clone();
            for former in self.leading_to(&current).filter_map(|moved| moved.undone(&current)) {
                if found.len() == MAX_FORMER {
                    break;
                }
                if !found.contains(&former) {
                    found.push(former);
                }
            }
            next += 1;
        }
        // Without a block, an instance without a key and the first one are the same.
        for current in found.clone() {
            for former in implied(&current) {
                if !found.contains(&former) && found.len() < MAX_FORMER {
                    found.push(former);
                }
            }
        }
        found.remove(0);
        found
    }
}

/// The addresses that an instance had if one `count` around it was added or removed.
fn implied(address: &Address) -> Vec<Address> {
    let other = |key: &str| match key {
        "" => Some("[0]".to_owned()),
        "[0]" => Some(String::new()),
        _ => None,
    };
    let mut found = Vec::new();
    if let Some(key) = other(&address.key) {
        found.push(Address { key, ..address.clone() });
    }
    for index in 0..address.modules.len() {
        if let Some(key) = other(&address.modules[index].1) {
            let mut former = address.clone();
            former.modules[index].1 = key;
            found.push(former);
        }
    }
    found
}

impl Move {
    /// The address that an instance had before this move, if it moves it.
    fn undone(&self, address: &Address) -> Option<Address> {
        let (around, rest) = address.modules.split_at_checked(self.scope.len())?;
        if !around.iter().map(|(name, _)| name).eq(&self.scope) {
            return None;
        }
        let is_whole = self.from.is_whole() && self.to.is_whole();
        let written = |key: &Option<String>| key.clone().unwrap_or_default();
        // Of instances that are not known, any may be the one that a block names.
        let is_at = |key: &Option<String>, own: &str| written(key) == own || own == OPEN;
        let (mut modules, more) = rest.split_at_checked(self.to.modules.len())?;
        let mut kept = None;
        let mut named = self.to.modules.as_slice();
        if self.to.block.is_none() {
            let ((name, key), (own, own_key)) = (named.last()?, modules.last()?);
            if name != own || !is_whole && !is_at(key, own_key) {
                return None;
            }
            kept = Some(own_key.clone());
            (named, modules) = (&named[..named.len() - 1], &modules[..modules.len() - 1]);
        }
        if !named.iter().zip(modules).all(|((name, key), (own, own_key))| name == own && is_at(key, own_key)) {
            return None;
        }
        let mut former: Vec<(Text, String)> =
            self.from.modules.iter().map(|(name, key)| (name.clone(), written(key))).collect();
        let (block, key) = match (&self.to.block, &self.from.block) {
            (Some((to, to_key)), Some((from, from_key))) => {
                let fits = more.is_empty() && *to == address.block && (is_whole || is_at(to_key, &address.key));
                let key = if is_whole { address.key.clone() } else { written(from_key) };
                fits.then(|| (from.clone(), key))?
            }
            (None, None) => {
                if let (true, Some(last), Some(kept)) = (is_whole, former.last_mut(), kept) {
                    last.1 = kept;
                }
                former.extend(more.iter().cloned());
                (address.block.clone(), address.key.clone())
            }
            _ => return None,
        };
        Some(Address { modules: around.iter().cloned().chain(former).collect(), block, key })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hcl::parse::parse_expression;

    fn end(text: &str) -> Endpoint {
        Endpoint::read(&parse_expression(text).expect("an address"), &|_| None).expect("an address")
    }

    fn former(scope: &[&str], (from, to): (&str, &str), address: &str) -> Vec<String> {
        let scope = scope.iter().map(|name| Text::from(*name)).collect();
        let moves = Moves::new(vec![Move { scope, from: end(from), to: end(to) }]);
        let parsed = end(address);
        let modules = parsed.modules.into_iter().map(|(name, key)| (name, key.unwrap_or_default())).collect();
        let (block, key) = parsed.block.expect("a resource");
        let address = Address { modules, block, key: key.unwrap_or_default() };
        let all = moves.former(&address).into_iter().map(|former| former.to_string());
        all.filter(|former| !former.contains("[0]")).collect()
    }

    #[test]
    fn addresses_before_moves() {
        assert_eq!(former(&[], ("a.b", "a.c"), "a.c[\"k\"]"), ["a.b[\"k\"]"]);
        assert_eq!(former(&[], ("a.b", "a.c[\"k\"]"), "a.c[\"k\"]"), ["a.b"]);
        assert_eq!(former(&[], ("module.m", "module.n"), "module.n[\"x\"].a.c[1]"), ["module.m[\"x\"].a.c[1]"]);
        assert_eq!(former(&[], ("module.m", "module.m[\"x\"]"), "module.m[\"x\"].a.c[1]"), ["module.m.a.c[1]"]);
        assert_eq!(former(&[], ("a.b", "module.m.a.c"), "module.m.a.c[1]"), ["a.b[1]"]);
        assert_eq!(former(&["m"], ("a.b", "a.c"), "module.m[\"x\"].a.c[1]"), ["module.m[\"x\"].a.b[1]"]);
        assert_eq!(former(&[], ("a.b", "a.c"), "a.d[1]"), Vec::<String>::new());
        assert_eq!(former(&[], ("a.b", "a.c[\"k\"]"), "a.c[\"l\"]"), Vec::<String>::new());
    }

    #[test]
    fn a_move_to_one_of_instances_that_are_not_known() {
        let scope = Vec::new();
        let moves = Moves::new(vec![Move { scope, from: end("a.b"), to: end("a.c[\"k\"]") }]);
        let (block, key) = (end("a.c").block.expect("a resource").0, OPEN.to_owned());
        let former = moves.former(&Address { modules: Vec::new(), block, key });
        assert_eq!(former.iter().map(Address::to_string).collect::<Vec<_>>(), ["a.b", "a.b[0]"]);
    }

    #[test]
    fn only_moves_that_may_lead_to_an_address_are_looked_at() {
        let to = |to: &str| Move { scope: Vec::new(), from: end("a.b"), to: end(to) };
        let moves = Moves::new(["a.c", "module.m", "module.m.a.c", "a.d", "module.n", "a.c[1]"].map(to).into());
        let leading = |modules: &[&str], block: &str| {
            let modules = modules.iter().map(|name| (Text::from(*name), String::new())).collect();
            let address = Address { modules, block: block.into(), key: String::new() };
            let all = moves.leading_to(&address);
            all.map(|one| moves.all.iter().position(|other| std::ptr::eq(one, other)).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(leading(&[], "a.c"), [0, 2, 5]);
        assert_eq!(leading(&["m"], "a.x"), [1]);
        assert_eq!(leading(&["n", "m"], "a.d"), [1, 3, 4]);
        assert_eq!(leading(&["x"], "a.x"), [0; 0]);
        let many = (0..200).map(|i| Move { scope: Vec::new(), from: end(&format!("a.b{i}")), to: end("a.c") });
        let address = Address { modules: Vec::new(), block: "a.c".into(), key: String::new() };
        assert_eq!(Moves::new(many.collect()).former(&address).len(), MAX_FORMER - 1);
    }
}
