//! A picture, drawn from the layout that is computed here.

use super::color;
use crate::query::graphs::layout::{Cell, layout};
use crate::query::graphs::{About, Change, Graph};
use crate::report::text::style::{cut, escape, width};
use std::collections::BTreeMap;
use std::io;

/// The height of a row and of a box in it, and the space between two layers, in pixels.
const ROW: usize = 34;
const BOX: usize = 24;
const GAP: usize = 70;
/// The width of a letter, about, and the most letters of a label.
const LETTER: usize = 7;
const MAX_LETTERS: usize = 60;

/// Text as content or as the value of an attribute.
fn safe(text: &str) -> String {
    let text = escape(text);
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// A box: left, top and width.
type Place = (usize, usize, usize);

/// Where the boxes are, and how wide and high the picture is.
fn places<'a>(graph: &'a Graph) -> (BTreeMap<&'a str, Place>, usize, usize) {
    let cells: BTreeMap<&'a str, Cell> = layout(graph);
    let letters = |name: &str| width(&cut(&escape(name), MAX_LETTERS));
    let count = cells.values().map(|cell| cell.layer + 1).max().unwrap_or(0);
    let mut widths = vec![0; count];
    let mut rows = vec![0; count];
    for (name, cell) in &cells {
        widths[cell.layer] = widths[cell.layer].max(letters(name) * LETTER + 16);
        rows[cell.layer] = rows[cell.layer].max(cell.row + 1);
    }
    let highest = rows.iter().copied().max().unwrap_or(0);
    let left: Vec<usize> = widths
        .iter()
        .scan(10, |at, width| {
            let own = *at;
            *at += width + GAP;
            Some(own)
        })
        .collect();
    let place = |(name, cell): (&'a str, Cell)| {
        // Short layers are centered.
        let top = 10 + (highest - rows[cell.layer]) * ROW / 2 + cell.row * ROW;
        (name, (left[cell.layer], top, widths[cell.layer]))
    };
    let total = widths.iter().map(|w| w + GAP).sum::<usize>() + 20;
    (cells.into_iter().map(place).collect(), total, highest * ROW + 20)
}

/// Writes the picture.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, graph: &Graph, about: About) -> io::Result<()> {
    let (places, width, height) = places(graph);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{}\" font-family=\"sans-serif\" font-size=\"12\">",
        safe(about.name())
    )?;
    writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>")?;
    for ((from, to), edge) in &graph.edges {
        let (Some(a), Some(b)) = (places.get(from.as_str()), places.get(to.as_str())) else { continue };
        let (x1, y1, x2, y2) = (a.0 + a.2, a.1 + BOX / 2, b.0, b.1 + BOX / 2);
        let bend = GAP / 2;
        let dash = if edge.change == Change::Removed { " stroke-dasharray=\"4 3\"" } else { "" };
        let back = x2.saturating_sub(bend);
        writeln!(
            out,
            "<path d=\"M{x1} {y1} C{} {y1} {back} {y2} {x2} {y2}\" fill=\"none\" stroke=\"{}\"{dash}><title>{}</title></path>",
            x1 + bend,
            color(edge.change),
            safe(&format!("{from} → {to} {}", edge.label))
        )?;
    }
    for (name, node) in &graph.nodes {
        let Some((x, y, width)) = places.get(name.as_str()) else { continue };
        let paint = color(node.change);
        let dash = if node.is_missing { " stroke-dasharray=\"4 3\"" } else { "" };
        writeln!(
            out,
            "<g><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BOX}\" rx=\"4\" fill=\"#f6f8fa\" \
             stroke=\"{paint}\"{dash}/><text x=\"{}\" y=\"{}\" fill=\"{paint}\">{}</text></g>",
            safe(&format!("{name}: {}", node.change.name())),
            x + 8,
            y + BOX - 8,
            safe(&cut(&escape(name), MAX_LETTERS))
        )?;
    }
    writeln!(out, "</svg>")
}
