//! Where names occur in a text as whole words: all of them are found in one pass.

/// Some names, sorted.
pub(super) struct Names<'n> {
    sorted: Vec<&'n str>,
    /// For each name the longest other one that it begins with.
    beginnings: Vec<Option<usize>>,
}

impl<'n> Names<'n> {
    pub(super) fn new(names: impl Iterator<Item = &'n str>) -> Self {
        let mut sorted: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut beginnings: Vec<Option<usize>> = Vec::with_capacity(sorted.len());
        for (index, name) in sorted.iter().enumerate() {
            // A beginning of a name comes before it, and all in between begin with it, too.
            let mut before = index.checked_sub(1);
            while let Some(other) = before.filter(|other| !name.starts_with(sorted[*other])) {
                before = beginnings[other];
            }
            beginnings.push(before);
        }
        Names { sorted, beginnings }
    }

    /// Calls `found` with the place of every name that is no part of a longer word.
    pub(super) fn find_in(&self, text: &str, mut found: impl FnMut(usize, &'n str)) {
        let is_inside = |c: char| c.is_alphanumeric() || c == '_';
        let mut is_start = true;
        for (at, c) in text.char_indices() {
            let rest = &text[at..];
            if is_start {
                // Names that the rest begins with are beginnings of the last one that is not behind it.
                let mut next = self.sorted.partition_point(|name| *name <= rest).checked_sub(1);
                while let Some(index) = next {
                    let name = self.sorted[index];
                    if rest.strip_prefix(name).is_some_and(|after| !after.chars().next().is_some_and(is_inside)) {
                        found(at, name);
                    }
                    next = self.beginnings[index];
                }
            }
            is_start = !is_inside(c);
        }
    }
}

/// Extents of a text.
pub(super) struct Extents {
    /// Where they start, sorted, and the last end of them and of those before.
    sorted: Vec<(usize, usize)>,
}

impl Extents {
    pub(super) fn new(all: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut sorted: Vec<(usize, usize)> = all.collect();
        sorted.sort_unstable();
        let mut last = 0;
        for (_, end) in &mut sorted {
            last = last.max(*end);
            *end = last;
        }
        Extents { sorted }
    }

    /// Whether a place is in one of them.
    pub(super) fn contain(&self, at: usize) -> bool {
        let before = self.sorted.partition_point(|(start, _)| *start <= at);
        before.checked_sub(1).is_some_and(|index| self.sorted[index].1 > at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(names: &[&str], text: &str) -> Vec<(usize, String)> {
        let mut all = Vec::new();
        Names::new(names.iter().copied()).find_in(text, |at, name| all.push((at, name.to_owned())));
        all
    }

    #[test]
    fn names_are_found_as_whole_words() {
        let found = |names: &[&str], text| {
            places(names, text).into_iter().map(|(at, n)| format!("{at} {n}")).collect::<Vec<_>>()
        };
        assert_eq!(found(&["A", "AB", "A-B"], "A AB ABC xA A-B"), ["0 A", "2 AB", "12 A-B", "12 A"]);
        assert_eq!(found(&["A"], "A_ _A ${A}"), ["8 A"]);
        assert_eq!(found(&["ä", "-"], "ää ä -ä"), ["5 ä", "9 ä"]);
        assert_eq!(found(&[""], "a b"), [""; 0]);
    }

    /// As looking for each name by itself.
    #[test]
    fn all_names_are_found() {
        let names = ["a", "a-", "a-a", "-", "--", "b", "a-b", "ab", "-a"];
        let texts = ["a-a-b", "--a-a", "ab-a--b", "aab-a", "b", "-", ""];
        for text in texts {
            let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let mut expected = Vec::new();
            for at in 0..text.len() {
                for name in names.iter().filter(|name| text[at..].starts_with(**name)) {
                    let (before, after) = (text[..at].chars().next_back(), text[at + name.len()..].chars().next());
                    if !inside(before) && !inside(after) {
                        expected.push((at, (*name).to_owned()));
                    }
                }
            }
            let mut found = places(&names, text);
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn places_in_extents() {
        let extents = Extents::new([(5, 6), (0, 4), (1, 2)].into_iter());
        let inside: Vec<usize> = (0..8).filter(|at| extents.contain(*at)).collect();
        assert_eq!(inside, [0, 1, 2, 3, 5]);
    }
}
