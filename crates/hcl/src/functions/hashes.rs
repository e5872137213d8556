//! Hashes of text, and identifiers made of them.

use super::{Args, Fail, Function, N, Outcome, S, function};
use crate::val::Val;
use go_compat::encoding::base64_encode;
use sha1::Digest;

pub(super) const ALL: &[Function] = &[
    function("base64sha256", &[S], |a| text(base64_encode(&sha256(a.str(0).as_bytes())))),
    function("base64sha512", &[S], |a| text(base64_encode(&sha512(a.str(0).as_bytes())))),
    function("bcrypt", &[S], |_| impure("bcrypt() salts with random bytes")).rest(N),
    function("md5", &[S], |a| text(hex(&md5(a.str(0).as_bytes())))),
    function("rsadecrypt", &[S, S], rsa_decrypt),
    function("sha1", &[S], |a| text(hex(&sha1(a.str(0).as_bytes())))),
    function("sha256", &[S], |a| text(hex(&sha256(a.str(0).as_bytes())))),
    function("sha512", &[S], |a| text(hex(&sha512(a.str(0).as_bytes())))),
    function("uuid", &[], |_| impure("uuid() is different in each run")),
    function("uuidv5", &[S, S], uuid_v5),
];

/// Nothing is decrypted; what is certainly no ciphertext, or no key, is a mistake.
fn rsa_decrypt(args: &mut Args<'_, '_>) -> Outcome {
    if super::encoding::base64_bytes(args.str(0)).is_none() {
        let message = format!("failed to decode input \"{}\": cipher text must be base64-encoded", args.str(0));
        return Err(Fail::Argument(0, message));
    }
    match args.str(1).contains("-----BEGIN ") {
        true => impure("rsadecrypt() is not computed"),
        false => Err(Fail::Argument(1, "invalid private key: no key found".to_owned())),
    }
}

pub(super) fn impure(reason: &str) -> Outcome {
    Err(Fail::Unknown(reason.to_owned()))
}

fn text(text: String) -> Outcome {
    Ok(Val::str(text))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

pub(super) fn md5(bytes: &[u8]) -> Vec<u8> {
    md5::Md5::digest(bytes).to_vec()
}

pub(super) fn sha1(bytes: &[u8]) -> Vec<u8> {
    sha1::Sha1::digest(bytes).to_vec()
}

pub(super) fn sha256(bytes: &[u8]) -> Vec<u8> {
    sha2::Sha256::digest(bytes).to_vec()
}

pub(super) fn sha512(bytes: &[u8]) -> Vec<u8> {
    sha2::Sha512::digest(bytes).to_vec()
}

fn uuid_v5(args: &mut Args<'_, '_>) -> Outcome {
    let known = |last: u8| {
        let mut id =
            vec![0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8];
        id[3] = last;
        id
    };
    let namespace = match args.str(0) {
        "dns" => known(0x10),
        "url" => known(0x11),
        "oid" => known(0x12),
        "x500" => known(0x14),
        other => parse_uuid(other).ok_or_else(|| Fail::Call(format!("uuidv5() doesn't support namespace {other}")))?,
    };
    let mut input = namespace;
    input.extend_from_slice(args.str(1).as_bytes());
    let mut id = sha1(&input);
    id.truncate(16);
    id[6] = id[6] & 0x0f | 0x50;
    id[8] = id[8] & 0x3f | 0x80;
    let all = hex(&id);
    text([&all[..8], &all[8..12], &all[12..16], &all[16..20], &all[20..]].join("-"))
}

fn parse_uuid(text: &str) -> Option<Vec<u8>> {
    let lengths = [8, 4, 4, 4, 12];
    let parts: Vec<&str> = text.split('-').collect();
    if parts.len() != 5 || !parts.iter().zip(lengths).all(|(p, l)| p.len() == l && p.is_ascii()) {
        return None;
    }
    let digits = parts.concat();
    (0..16).map(|i| u8::from_str_radix(digits.get(2 * i..2 * i + 2)?, 16).ok()).collect()
}
