use super::*;
use crate::{Data, Value};
use proptest::prelude::*;

fn map(keys: impl IntoIterator<Item = u32>) -> Map {
    keys.into_iter().map(|n| (Key::from(format!("k{n}")), Value::new(Data::Int(n.into())))).collect()
}

#[test]
fn few_and_many_keys_are_found() {
    for size in [0, 1, FEW as u32, FEW as u32 + 1, FEW_INTERNED as u32, FEW_INTERNED as u32 + 1, 100] {
        let map = map(0..size);
        for n in 0..size + 5 {
            let key = format!("k{n}");
            assert_eq!(
                map.get(&key).map(|v| v.data.clone()),
                (n < size).then_some(Data::Int(n.into())),
                "{n} of {size}"
            );
            assert_eq!(map.has(&key), n < size);
            let interned = map.entry(&key).map_or_else(|| Key::from(&*key), |e| Key::clone(&e.key));
            assert_eq!((map.value_of(&key.into()), map.value_of(&interned)), (map.get(&interned), map.get(&interned)));
        }
        assert_eq!(map.known("k7"), map.get("k7"));
        assert!(!map.has("") && !map.has("k") && !map.has("l0"));
    }
}

proptest! {
    #[test]
    fn later_pairs_replace_earlier_ones(pairs in prop::collection::vec((0..12u32, 0..9i64, "(__a|<<|a)"), 0..20)) {
        let pairs = pairs.into_iter().map(|(n, value, prefix)| {
            (Key::from(format!("{prefix}{n}")), Value::new(Data::Int(value)))
        });
        let mut one_by_one = Map::new();
        pairs.clone().for_each(|(key, value)| one_by_one.set(key, value));
        let together: Map = pairs.collect();
        prop_assert_eq!(&together, &one_by_one);
        prop_assert_eq!(together.flags(), one_by_one.flags());
        let keys = ["a1", "a11", "a2", "a5", "zz"];
        prop_assert_eq!(together.get_all(keys), keys.map(|key| together.get(key)));
    }

    #[test]
    fn values_are_replaced(map in prop::collection::vec(0..30u32, 0..12), replaced in any::<u32>()) {
        let map = self::map(map);
        let is_replaced = |value: &Value| matches!(value.data, Data::Int(n) if replaced >> n & 1 == 1);
        let new = map.with_values(|value| Ok::<_, ()>(is_replaced(value).then(|| Value::new(Data::Int(100)))));
        let expected: Map = map
            .iter()
            .map(|e| (Key::clone(&e.key), if is_replaced(&e.value) { Value::new(Data::Int(100)) } else { e.value.clone() }))
            .collect();
        let is_same = !map.iter().any(|e| is_replaced(&e.value));
        prop_assert_eq!(new, Ok((!is_same).then_some(expected)));
        prop_assert_eq!(map.with_values(|_| Err::<Option<Value>, _>(7)).err(), (!map.is_empty()).then_some(7));
    }

    #[test]
    fn keys_of_the_program_are_set_like_others(
        old in prop::collection::btree_set("[a-e]", 0..5),
        new in prop::collection::vec((prop::sample::select(vec!["a", "b", "c", "d", "e"]), "(__a|<no value>|\\{\\{ \\.x \\}\\}|!env|a)"), 0..4),
    ) {
        let mut map: Map = old.into_iter().map(|name| (name.into(), Value::default())).collect();
        let mut known = map.clone();
        for (name, text) in new {
            map.set(name, Value::str(&*text));
            known.set_known(name, Value::str(&*text));
        }
        prop_assert_eq!(&known, &map);
        prop_assert_eq!(known.flags(), map.flags());
    }

    /// A cached count is never returned after a change, not even in copies.
    #[test]
    fn values_are_counted_anew_after_each_change(changes in prop::collection::vec((0..6u8, 0..6u32, 0..4u32), 1..12)) {
        let plain = |map: &Map| map.iter().fold(0, |n, e| n + 1 + e.value.as_map().map_or(0, |m| m.len()));
        let mut map = map(0..3);
        for (change, place, size) in changes {
            prop_assert_eq!(map.count(1000), plain(&map));
            prop_assert!(map.is_empty() || map.clone().count(0) > 0);
            let (key, value) = (format!("k{place}"), Value::map(self::map(0..size)));
            match change {
                0 => map.set(key, value),
                5 => map.set_known("a", value),
                1 => drop(map.remove(&key)),
                2 if map.len() > place as usize => map.put_at(place as usize, value, Flags::default()),
                3 if map.len() > place as usize => map.change_at(place as usize, |v| *v = value),
                _ => map.entries_mut().for_each(|(_, v)| *v = value.clone()),
            }
            prop_assert_eq!(map.clone().count(1000), plain(&map));
            prop_assert_eq!(Value::map(map.clone()).count(plain(&map) + 1), Some(plain(&map) + 1));
            prop_assert_eq!(Value::map(map.clone()).count(plain(&map)), None);
        }
    }

    /// The keys set may be there already, before, between and behind others.
    #[test]
    fn several_keys_are_set_as_one_by_one(keys in prop::collection::btree_set(0..12u32, 0..12), known in 0..8u8) {
        const NAMES: [&str; 3] = ["k0", "k3", "k7"];
        let mut together = map(keys);
        for (i, name) in NAMES.into_iter().enumerate().filter(|(i, _)| known & 1 << i != 0) {
            together.set(name, Value::new(Data::Int(i as i64 + 50)));
        }
        let mut one_by_one = together.clone();
        let value = |i: usize| Value::new(Data::Int(i as i64 + 100));
        together.set_all_known([(NAMES[0], value(0)), (NAMES[1], value(1)), (NAMES[2], value(2))]);
        NAMES.into_iter().enumerate().for_each(|(i, name)| one_by_one.set_known(name, value(i)));
        prop_assert_eq!(&together, &one_by_one);
        prop_assert!(together.keys().is_sorted());
        prop_assert_eq!(together.flags(), one_by_one.flags());
    }
}
