//! Blocks of a report, each in full, in brief or omitted, so that the report does not become too long for a reader.

/// An independent part of the report.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// All lines, without an empty one at the end.
    pub(super) full: Vec<String>,
    /// A line or two with the same content in brief.
    pub(super) brief: Vec<String>,
    /// Blocks with a higher weight are written in full first.
    pub(super) weight: usize,
}

/// How much of a block is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Nothing,
    Brief,
    Full,
}

/// The selected form of some blocks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) lines: Vec<String>,
    /// The number of omitted blocks.
    pub(super) left_out: usize,
    /// How many are written in brief.
    pub(super) shortened: usize,
}

impl Block {
    /// The lines that it takes in full, with an empty one after it.
    pub(super) fn height(&self) -> usize {
        self.full.len() + 1
    }
}

/// Selects as many blocks in full as fit into `room` lines, by descending weight; the others in brief, as far as these
/// fit.
pub(super) fn choose(blocks: &[Block], room: usize) -> Chosen {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|i| (std::cmp::Reverse(blocks[*i].weight), *i));
    let mut extents = vec![Extent::Nothing; blocks.len()];
    let mut used = 0;
    for i in &order {
        if used + blocks[*i].brief.len() <= room {
            extents[*i] = Extent::Brief;
            used += blocks[*i].brief.len();
        }
    }
    for i in &order {
        let (full, brief) = (blocks[*i].height() + 1, blocks[*i].brief.len());
        if extents[*i] == Extent::Brief && used - brief + full <= room {
            extents[*i] = Extent::Full;
            used = used - brief + full;
        }
    }
    written(blocks, &extents)
}

/// All blocks in full.
pub(super) fn all(blocks: &[Block]) -> Chosen {
    written(blocks, &vec![Extent::Full; blocks.len()])
}

fn written(blocks: &[Block], extents: &[Extent]) -> Chosen {
    let mut chosen = Chosen::default();
    for (block, extent) in blocks.iter().zip(extents) {
        match extent {
            Extent::Nothing => chosen.left_out += 1,
            Extent::Brief => {
                chosen.shortened += 1;
                chosen.lines.extend(block.brief.iter().cloned());
            }
            Extent::Full => {
                if chosen.lines.last().is_some_and(|line| !line.is_empty()) {
                    chosen.lines.push(String::new());
                }
                chosen.lines.extend(block.full.iter().cloned());
                chosen.lines.push(String::new());
            }
        }
    }
    if chosen.lines.last().is_some_and(|line| !line.is_empty()) {
        chosen.lines.push(String::new());
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(name: &str, height: usize, weight: usize) -> Block {
        Block { full: vec![format!("full {name}"); height], brief: vec![format!("brief {name}")], weight }
    }

    #[test]
    fn what_matters_is_in_full() {
        let blocks = [block("a", 3, 1), block("b", 3, 9), block("c", 3, 1)];
        let chosen = choose(&blocks, 8);
        assert_eq!(chosen.lines, ["brief a", "", "full b", "full b", "full b", "", "brief c", ""]);
        assert_eq!((chosen.left_out, chosen.shortened), (0, 2));
        assert_eq!(choose(&blocks, 1).lines, ["brief b", ""]);
        assert_eq!(choose(&blocks, 1).left_out, 2);
        assert_eq!(choose(&blocks, 100), all(&blocks));
    }

    #[test]
    fn never_more_lines_than_there_is_room_for() {
        for room in 0..40 {
            let blocks: Vec<Block> = (0..9).map(|i| block(&i.to_string(), 1 + i % 4, i * 7 % 5)).collect();
            assert!(choose(&blocks, room).lines.len() <= room + 1, "{room}");
        }
    }
}
