//! Places: files as URIs, regions in lines and UTF-16 code units.

use crate::diagnostic::{AtHead, Label};
use crate::files::{File, Files};
use crate::report::links::percent_encoded;
use serde_sarif::sarif::{ArtifactLocation, Location, PhysicalLocation, Region};

/// The base of relative paths.
pub(super) const ROOT: &str = "%SRCROOT%";

pub(super) fn artifact(path: &str) -> ArtifactLocation {
    ArtifactLocation::builder().uri(percent_encoded(path)).uri_base_id(ROOT).build()
}

/// A file as a place.
pub(super) fn whole_file(path: &str) -> Location {
    Location::builder().physical_location(PhysicalLocation::builder().artifact_location(artifact(path)).build()).build()
}

/// The place of a label, without its words.
pub(super) fn physical(label: &Label, files: &Files) -> PhysicalLocation {
    let file = files.get(label.file);
    PhysicalLocation::builder()
        .artifact_location(artifact(&file.path))
        .region(region(&file, label.start, file.trimmed_end(label.start, label.end)))
        .build()
}

/// The place in the current file for something that was removed.
pub(super) fn at_head(path: &str, at: AtHead) -> PhysicalLocation {
    let mut place = PhysicalLocation::builder().artifact_location(artifact(path)).build();
    if let AtHead::Line(line) = at {
        place.region = Some(Region::builder().start_line(i64::from(line)).build());
    }
    place
}

/// Bytes of a file as lines and columns.
pub(super) fn region(file: &File, start: u32, end: u32) -> Region {
    let (start_line, start_column) = position(file, start);
    let (end_line, end_column) = position(file, end.max(start));
    Region::builder()
        .start_line(start_line)
        .start_column(start_column)
        .end_line(end_line)
        .end_column(end_column)
        .build()
}

/// The byte range of a replacement: as a region, and in bytes if the text equals the file byte by byte.
pub(super) fn exact(file: &File, start: u32, end: u32) -> Region {
    let mut region = region(file, start, end);
    if !file.text.contains('\u{fffd}') {
        region.byte_offset = Some(i64::from(start));
        region.byte_length = Some(i64::from(end.saturating_sub(start)));
    }
    region
}

/// Returns the line and the column in UTF-16 code units, both from 1. A byte order mark does not count as a character
/// of the first line.
fn position(file: &File, offset: u32) -> (i64, i64) {
    let line = file.line(offset);
    let start = file.line_span(line).start as usize;
    let mut end = (offset as usize).clamp(start, file.text.len());
    while !file.text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &file.text[start..end];
    let before = if line == 1 { before.strip_prefix('\u{feff}').unwrap_or(before) } else { before };
    (i64::from(line), before.encode_utf16().count() as i64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_utf16_code_units() {
        let files = Files::default();
        let text = "\u{feff}a: ü\nb: 漢𝄞x\r\nc";
        let file = files.get(files.add("x.yaml", "1", || text.into()));
        let at = |what: &str| text.find(what).unwrap() as u32;
        for (start, end, expected) in [
            (at("a"), at("a") + 1, [1, 1, 1, 2]),
            (at("ü"), at("ü") + 2, [1, 4, 1, 5]),
            (at("x"), at("x") + 1, [2, 7, 2, 8]),
            (at("𝄞"), at("𝄞") + 4, [2, 5, 2, 7]),
            (at("𝄞") + 1, at("𝄞") + 1, [2, 5, 2, 5]),
            (at("b"), at("c"), [2, 1, 3, 1]),
            (at("c"), 999, [3, 1, 3, 2]),
            (9, 3, [2, 1, 2, 1]),
        ] {
            let r = region(&file, start, end);
            let found = [r.start_line, r.start_column, r.end_line, r.end_column].map(Option::unwrap);
            assert_eq!(found, expected, "{start}..{end}");
        }
        let bytes = exact(&file, at("ü"), at("ü") + 2);
        assert_eq!((bytes.byte_offset, bytes.byte_length), (Some(i64::from(at("ü"))), Some(2)));
    }

    #[test]
    fn uris_are_encoded() {
        assert_eq!(artifact("a b/ü:#%.yaml").uri.as_deref(), Some("a%20b/%C3%BC%3A%23%25.yaml"));
    }
}
