//! Blocks of a report, each in full, in part, in brief or omitted, so that the report does not become too long for a reader.

use super::style::{Theme, count};

/// An independent part of the report. Empty lines stand within its parts only.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// What comes first, whatever of the rest is shown.
    pub(super) head: Vec<String>,
    /// The parts, of which the first ones may be shown alone.
    pub(super) items: Vec<Vec<String>>,
    /// What comes last, whatever of the items is shown.
    pub(super) tail: Vec<String>,
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
    /// So many items, fewer than there are.
    Part(usize),
    Full,
}

/// The selected form of some blocks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) lines: Vec<String>,
    /// The number of omitted blocks.
    pub(super) left_out: usize,
    /// How many are written in part or in brief.
    pub(super) shortened: usize,
}

impl Block {
    /// A block that is shown as a whole, or in brief.
    pub(super) fn whole(head: Vec<String>, brief: Vec<String>, weight: usize) -> Self {
        Block { head, brief, weight, ..Block::default() }
    }

    /// The lines that it takes in full, with an empty one after it.
    pub(super) fn height(&self) -> usize {
        self.frame() + self.items.iter().map(Vec::len).sum::<usize>()
    }

    /// The lines that it takes without its items, with an empty one after it.
    fn frame(&self) -> usize {
        self.head.len() + self.tail.len() + 1
    }

    /// The number of items that fit into `room` lines together with a line about the others. Zero if that is not shorter than
    /// the brief form tells, or if the block has only one.
    fn fitting(&self, room: usize) -> usize {
        let mut used = self.frame() + 2;
        let fits = |item: &&Vec<String>| {
            used += item.len();
            used <= room
        };
        self.items.iter().take_while(fits).count().min(self.items.len().saturating_sub(1))
    }

    fn lines(&self, items: usize, theme: Theme) -> Vec<String> {
        let mut lines = self.head.clone();
        lines.extend(self.items[..items].iter().flatten().cloned());
        if items < self.items.len() {
            lines.push(theme.dim(&format!("  … and {}", count(self.items.len() - items, "more line"))));
        }
        lines.extend(self.tail.iter().cloned());
        lines
    }
}

/// Selects as many blocks in full as fit into `room` lines, by descending weight; the others in part or in brief, as far as
/// these fit.
pub(super) fn choose(blocks: &[Block], room: usize, theme: Theme) -> Chosen {
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
    for i in order {
        let block = &blocks[i];
        let without = used - block.brief.len().min(used);
        let left = room.saturating_sub(without);
        if extents[i] != Extent::Brief {
            continue;
        }
        if block.height() < left {
            (extents[i], used) = (Extent::Full, without + block.height() + 1);
            continue;
        }
        let items = block.fitting(left);
        if items > 0 {
            let height = block.frame() + 2 + block.items[..items].iter().map(Vec::len).sum::<usize>();
            (extents[i], used) = (Extent::Part(items), without + height);
        }
    }
    written(blocks, &extents, theme)
}

/// All blocks in full.
pub(super) fn all(blocks: &[Block]) -> Chosen {
    written(blocks, &vec![Extent::Full; blocks.len()], Theme::new(false))
}

fn written(blocks: &[Block], extents: &[Extent], theme: Theme) -> Chosen {
    let mut chosen = Chosen::default();
    for (block, extent) in blocks.iter().zip(extents) {
        let items = match extent {
            Extent::Nothing => {
                chosen.left_out += 1;
                continue;
            }
            Extent::Brief => {
                chosen.shortened += 1;
                chosen.lines.extend(block.brief.iter().cloned());
                continue;
            }
            Extent::Part(items) => {
                chosen.shortened += 1;
                *items
            }
            Extent::Full => block.items.len(),
        };
        if chosen.lines.last().is_some_and(|line| !line.is_empty()) {
            chosen.lines.push(String::new());
        }
        chosen.lines.extend(block.lines(items, theme));
        chosen.lines.push(String::new());
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
        Block::whole(vec![format!("full {name}"); height], vec![format!("brief {name}")], weight)
    }

    fn chosen(blocks: &[Block], room: usize) -> Chosen {
        choose(blocks, room, Theme::new(false))
    }

    #[test]
    fn what_matters_is_in_full() {
        let blocks = [block("a", 3, 1), block("b", 3, 9), block("c", 3, 1)];
        let first = chosen(&blocks, 8);
        assert_eq!(first.lines, ["brief a", "", "full b", "full b", "full b", "", "brief c", ""]);
        assert_eq!((first.left_out, first.shortened), (0, 2));
        assert_eq!(chosen(&blocks, 1).lines, ["brief b", ""]);
        assert_eq!(chosen(&blocks, 1).left_out, 2);
        assert_eq!(chosen(&blocks, 100), all(&blocks));
    }

    #[test]
    fn a_long_block_shows_its_first_items() {
        let mut long = block("a", 1, 1);
        long.items = (0..9).map(|i| vec![format!("item {i}")]).collect();
        long.tail = vec!["tail".to_owned()];
        let lines = chosen(&[long], 9).lines;
        assert_eq!(lines, ["full a", "item 0", "item 1", "item 2", "item 3", "  … and 5 more lines", "tail", ""]);
    }

    #[test]
    fn never_more_lines_than_there_is_room_for() {
        for room in 0..40 {
            let with_items =
                |i: usize| Block { items: vec![vec!["item".to_owned()]; i % 7], ..block("b", 1 + i % 4, i * 7 % 5) };
            let blocks: Vec<Block> = (0..9).map(with_items).collect();
            assert!(chosen(&blocks, room).lines.len() <= room + 1, "{room}");
        }
    }
}
