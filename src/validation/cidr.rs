//! Ranges of addresses, as `10.0.0.0/16` names them.

use std::net::IpAddr;

/// A range of addresses: the first and the last one. Those of IPv4 and IPv6 have nothing in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Range {
    is_v6: bool,
    first: u128,
    last: u128,
}

impl Range {
    /// The range that a text names; a single address is a range as well.
    pub(crate) fn parse(text: &str) -> Option<Range> {
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length.parse::<u32>().ok()?)),
            None => (text, None),
        };
        let (is_v6, bits, width) = match address.parse().ok()? {
            IpAddr::V4(v4) => (false, u128::from(u32::from(v4)), 32),
            IpAddr::V6(v6) => (true, u128::from(v6), 128),
        };
        let host = width - length.map_or(Some(width), |length| (length <= width).then_some(length))?;
        let mask = if host == 128 { u128::MAX } else { (1_u128 << host) - 1 };
        Some(Range { is_v6, first: bits & !mask, last: bits | mask })
    }

    /// Whether it contains another range completely.
    pub(crate) fn contains(&self, other: &Range) -> bool {
        self.is_v6 == other.is_v6 && self.first <= other.first && other.last <= self.last
    }

    /// Whether two ranges have an address in common.
    pub(crate) fn overlaps(&self, other: &Range) -> bool {
        self.is_v6 == other.is_v6 && self.first <= other.last && other.first <= self.last
    }
}

/// The pairs of ranges, by number, that overlap, at most `most` of them; takes time that grows with the ranges and the pairs.
pub(crate) fn overlapping(ranges: &[Range], most: usize) -> Vec<(usize, usize)> {
    let mut order: Vec<usize> = (0..ranges.len()).collect();
    order.sort_by_key(|i| (ranges[*i], *i));
    let (mut open, mut pairs): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    for i in order {
        open.retain(|known| ranges[*known].overlaps(&ranges[i]));
        for known in &open {
            if pairs.len() == most {
                return pairs;
            }
            pairs.push((i.min(*known), i.max(*known)));
        }
        open.push(i);
    }
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_addresses() {
        let range = |text: &str| Range::parse(text).unwrap();
        assert!(range("10.0.0.0/8").contains(&range("10.255.0.1")));
        assert!(
            !range("10.0.0.0/16").contains(&range("10.0.0.0/8")) && range("10.0.0.0/16").overlaps(&range("10.0.0.0/8"))
        );
        assert!(!range("10.0.0.0/16").overlaps(&range("10.1.0.0/16")));
        assert!(range("0.0.0.0/0").contains(&range("255.255.255.255")) && !range("0.0.0.0/0").overlaps(&range("::/0")));
        assert!(range("::/0").contains(&range("ffff::1/128")));
        for wrong in ["", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "10.0.0/8", "x", "10.0.0.0/8/8"] {
            assert_eq!(Range::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn pairs_that_overlap() {
        let all: Vec<Range> = ["10.0.0.0/8", "10.1.0.0/16", "10.2.0.0/16", "11.0.0.0/8", "::/0", "10.1.2.0/24"]
            .iter()
            .map(|t| Range::parse(t).unwrap())
            .collect();
        assert_eq!(overlapping(&all, 99), [(0, 1), (0, 2), (0, 5), (1, 5)]);
        assert_eq!(overlapping(&all, 2).len(), 2);
    }
}
