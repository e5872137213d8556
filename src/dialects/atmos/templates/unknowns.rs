//! Unknown values in text: private-use characters replace them while the text is read.

use crate::template::{Rendered, Segment};
use crate::value::{Data, Unknown, Value};
use std::sync::Arc;

/// A private character that opens the place of something unknown in a text, the other closes it.
pub(super) const OPEN: char = '\u{f8f0}';
pub(super) const CLOSE: char = '\u{f8f1}';

/// The rendered text with every unknown part replaced by a token for it.
pub(crate) fn hide_unknowns(rendered: &Rendered, unknowns: &mut Vec<Arc<Unknown>>) -> (String, Vec<Segment>) {
    if rendered.unknowns.is_empty() {
        return (rendered.text.clone(), rendered.segments.clone());
    }
    let (mut text, mut segments, mut from) = (String::new(), Vec::new(), 0);
    let mut copy = |text: &mut String, from: usize, to: usize| {
        for (i, s) in rendered.segments.iter().enumerate() {
            let end = rendered.segments.get(i + 1).map_or(rendered.text.len(), |n| n.out);
            let (start, end) = (s.out.max(from), end.min(to));
            if start < end {
                let src = if s.literal { s.src + (start - s.out) } else { s.src };
                segments.push(Segment { out: text.len(), src, literal: s.literal });
                text.push_str(&rendered.text[start..end]);
            }
        }
    };
    for (range, unknown) in &rendered.unknowns {
        copy(&mut text, from, range.start);
        let token_at = text.len();
        copy(&mut text, range.start, range.start + 1);
        text.truncate(token_at);
        text.push_str(&format!("{OPEN}{}{CLOSE}", unknowns.len()));
        unknowns.push(Arc::clone(unknown));
        from = range.end;
    }
    copy(&mut text, from, rendered.text.len());
    (text, segments)
}

/// Replaces the tokens in a value by their unknown values.
pub(crate) fn reveal(value: &Value, unknowns: &[Arc<Unknown>]) -> Value {
    if unknowns.is_empty() {
        return value.clone();
    }
    let data = match &value.data {
        Data::Str(s) if s.contains(OPEN) => Data::Unknown(Arc::new(spell_out(s, unknowns))),
        Data::List(l) => Data::List(Arc::new(l.iter().map(|v| reveal(v, unknowns)).collect())),
        Data::Map(m) => Data::Map(Arc::new(
            m.iter()
                .map(|e| {
                    let key = if e.key.contains(OPEN) { spell_out(&e.key, unknowns).text } else { e.key.clone() };
                    (key, reveal(&e.value, unknowns))
                })
                .collect(),
        )),
        other => other.clone(),
    };
    Value { data, prov: value.prov.clone() }
}

fn spell_out(text: &str, unknowns: &[Arc<Unknown>]) -> Unknown {
    let (mut out, mut all, mut rest) = (String::new(), Unknown::default(), text);
    while let Some((before, after)) = rest.split_once(OPEN) {
        out.push_str(before);
        let Some((number, after)) = after.split_once(CLOSE) else { break };
        if let Some(unknown) = number.parse().ok().and_then(|n: usize| unknowns.get(n)) {
            out.push_str(&unknown.text);
            all.reasons.extend(unknown.reasons.iter().cloned());
            all.add_reads(unknown.reads.iter().cloned());
        }
        rest = after;
    }
    out.push_str(rest);
    all.reasons.dedup();
    Unknown { text: out.into(), ..all }
}
