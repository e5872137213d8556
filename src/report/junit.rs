//! JUnit XML, for systems that show tests: a suite for each file with findings, and in it a case for each finding.
//! Errors and warnings that count are failures; notes, known findings and suppressed findings are skipped. Without any
//! finding there is one passed case.

use super::text::style;
use super::{Finding, Novelty, Report, coverage};
use crate::diagnostic::{Level, Suppression};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

/// Writes a report.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    let mut files: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    let present = report.findings.iter().filter(|f| f.is_present()).map(|f| (f, None));
    for (finding, by) in present.chain(report.suppressed.iter().map(|s| (&s.finding, Some(&s.by)))) {
        let file = report.files.get(finding.diagnostic.primary.file);
        files.entry(file.path.to_string()).or_default().push(case(finding, by, report));
    }
    let all = || files.values().flatten();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let totals = counts(all());
    let covered = attribute(&coverage::summary(report));
    let lacking: Vec<String> = coverage::lead(report).iter().map(|line| attribute(line)).collect();
    let properties = lacking.iter().map(|line| format!("      <property name=\"unresolved\" value=\"{line}\"/>\n"));
    let properties: String = properties.collect();
    let properties = format!(
        "    <properties>\n      <property name=\"coverage\" value=\"{covered}\"/>\n{properties}    </properties>\n"
    );
    if files.is_empty() {
        xml.push_str("<testsuites name=\"stacklint\" tests=\"1\" failures=\"0\" skipped=\"0\" errors=\"0\">\n");
        xml.push_str("  <testsuite name=\"stacklint\" tests=\"1\" failures=\"0\" skipped=\"0\" errors=\"0\">\n");
        xml.push_str(&properties);
        xml.push_str("    <testcase name=\"no findings\" classname=\"stacklint\"/>\n  </testsuite>\n");
    } else {
        let _ = writeln!(xml, "<testsuites name=\"stacklint\" {totals}>");
    }
    for (i, (path, cases)) in files.iter().enumerate() {
        let _ = writeln!(xml, "  <testsuite name=\"{}\" {}>", attribute(path), counts(cases.iter()));
        if i == 0 {
            xml.push_str(&properties);
        }
        for case in cases {
            xml.push_str(&case.xml);
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    out.write_all(xml.as_bytes())
}

/// A finding as a case.
struct Case {
    xml: String,
    is_failure: bool,
}

fn counts<'a>(cases: impl Iterator<Item = &'a Case>) -> String {
    let (mut tests, mut failures) = (0, 0);
    for case in cases {
        tests += 1;
        failures += usize::from(case.is_failure);
    }
    format!("tests=\"{tests}\" failures=\"{failures}\" skipped=\"{}\" errors=\"0\"", tests - failures)
}

fn case(finding: &Finding, by: Option<&Suppression>, report: &Report<'_>) -> Case {
    let d = &finding.diagnostic;
    let file = report.files.get(d.primary.file);
    let at = file.position(d.primary.start);
    let skipped = match by {
        Some(Suppression::Comment(reason)) if reason.is_empty() => Some("suppressed by a comment".to_owned()),
        Some(Suppression::Comment(reason)) => Some(format!("suppressed by a comment: {reason}")),
        Some(Suppression::Baseline) => Some("in the baseline".to_owned()),
        None if finding.novelty == Some(Novelty::Known) => Some("the base has this finding too".to_owned()),
        None if finding.level == Level::Note => Some(d.message.clone()),
        None => None,
    };
    let mut xml = String::new();
    // The place is part of the name: cases of one name are treated as one.
    let _ = writeln!(
        xml,
        "    <testcase name=\"{} at {}:{}\" classname=\"stacklint.{}\" file=\"{}\" line=\"{}\">",
        attribute(d.rule.id()),
        at.line,
        at.column,
        attribute(d.rule.id()),
        attribute(&file.path),
        at.line
    );
    match &skipped {
        Some(why) => {
            let _ = writeln!(xml, "      <skipped message=\"{}\"/>", attribute(why));
        }
        None => {
            let mut body = format!("{}:{}:{}: {}", file.path, at.line, at.column, d.message);
            body.extend(d.notes.iter().map(|note| format!("\nnote: {note}")));
            body.extend(d.help.iter().map(|help| format!("\nhelp: {help}")));
            let (level, message) = (finding.level.name(), attribute(&d.message));
            let _ = writeln!(xml, "      <failure type=\"{level}\" message=\"{message}\">{}</failure>", content(&body));
        }
    }
    xml.push_str("    </testcase>\n");
    Case { xml, is_failure: skipped.is_none() }
}

/// Text in an attribute. What XML has no way to write, control characters above all, is written as text does;
/// nothing in it is a command to a CI system.
fn attribute(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in style::escape(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&apos;"),
            // Not characters of XML.
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    super::log::inert(&safe).into_owned()
}

/// Text between tags, over several lines, none of which is a command to a runner that prints it in its log.
fn content(text: &str) -> String {
    text.split('\n').map(|line| super::log::harmless(&attribute(line)).into_owned()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::{Fixture, elements, written};
    use crate::report::{Format, RenderOptions};

    #[test]
    fn suites_count_their_cases() {
        let fixture = Fixture::new();
        for (report, failures, skipped) in [(fixture.checked(), 6, 3), (fixture.compared(), 5, 4)] {
            let elements = elements(&written(Format::Junit, &report, &RenderOptions::default()));
            let number = |name: &str| elements.iter().filter(|(n, _)| n == name).count();
            assert_eq!(
                [number("testcase"), number("failure"), number("skipped")],
                [failures + skipped, failures, skipped]
            );
            assert_eq!(number("testsuite"), 5);
            let sum = |key: &str| -> usize {
                let suites = elements.iter().filter(|(n, _)| n == "testsuite");
                suites.map(|(_, attributes)| attributes[key].parse::<usize>().unwrap()).sum()
            };
            let total = |key: &str| elements[0].1[key].parse::<usize>().unwrap();
            for (key, expected) in [("tests", failures + skipped), ("failures", failures), ("skipped", skipped)] {
                assert_eq!((sum(key), total(key)), (expected, expected), "{key}");
            }
        }
    }

    #[test]
    fn nothing_found_is_a_test_that_passed() {
        let fixture = Fixture::new();
        let nothing = Report { findings: &[], suppressed: &[], ..fixture.checked() };
        let elements = elements(&written(Format::Junit, &nothing, &RenderOptions::default()));
        assert_eq!(
            elements.iter().map(|(n, _)| n.as_str()).collect::<Vec<_>>(),
            ["testsuites", "testsuite", "properties", "property", "property", "property", "testcase"]
        );
    }

    #[test]
    fn xml_has_no_words_for_some_characters() {
        assert_eq!(
            attribute("<a b=\"'&\">\u{1b}\u{0}\u{ffff}\n"),
            "&lt;a b=&quot;&apos;&amp;&quot;&gt;\\u{1b}\\u{0}\u{fffd}\\n"
        );
        assert_eq!(content("a\n]]>"), "a\n]]&gt;");
    }
}
