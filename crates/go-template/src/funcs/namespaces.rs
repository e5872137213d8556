//! The namespaces of gomplate, and the functions whose results are known only at run time.

use super::call::Args;
use super::objects::Namespace;
use super::{gomplate_data as data, gomplate_text as text, net, sprig_lists};
use crate::format;
use std::collections::BTreeSet;
use traced_value::Data;

table! { OWN:
    "collectKeys" ("!as*") => collect_keys;
}

fn collect_keys(a: &Args<'_>) -> Result<Vec<String>, String> {
    let Data::Map(map) = a.data(0) else {
        let got = format::type_name(a.val(0));
        return Err(format!("collectKeys: expected a map, got {got}"));
    };
    if a.len() == 1 {
        return Ok(sprig_lists::key_texts(map));
    }
    let nested = map.iter().filter_map(|e| e.value.get(a.s(1))?.as_map().cloned());
    let keys: BTreeSet<String> = nested.flat_map(|m| sprig_lists::key_texts(&m)).collect();
    Ok(keys.into_iter().collect())
}

unknown_table! { SPRIG_UNKNOWN:
    "env" | "expandenv" => "reads the environment";
    "now" | "ago" => "reads the clock";
    "getHostByName" => "needs network access";
    "randAlphaNum" | "randAlpha" | "randAscii" | "randNumeric" | "randInt" | "randBytes" | "shuffle" | "uuidv4" | "bcrypt"
        | "htpasswd" | "genPrivateKey" | "buildCustomCert" | "genCA" | "genCAWithKey" | "genSelfSignedCert"
        | "genSelfSignedCertWithKey" | "genSignedCert" | "genSignedCertWithKey" | "encryptAES" => "draws random numbers";
    "decryptAES" | "derivePassword" => "is not evaluated";
}

unknown_table! { GOMPLATE_UNKNOWN:
    "getenv" => "reads the environment";
    "ec2meta" | "ec2dynamic" | "ec2tag" | "ec2tags" | "ec2region" => "asks AWS";
}

unknown_table! { ENV:
    "Getenv" | "ExpandEnv" => "reads the environment";
}

unknown_table! { FILE:
    "Read" | "Stat" | "Exists" | "IsDir" | "ReadDir" | "Walk" => "reads files of the machine";
    "Write" => "writes files";
}

unknown_table! { RANDOM:
    "ASCII" | "Alpha" | "AlphaNum" | "String" | "Item" | "Number" | "Float" => "draws random numbers";
}

unknown_table! { SOCKADDR:
    "GetAllInterfaces" | "GetDefaultInterfaces" | "GetPrivateInterfaces" | "GetPublicInterfaces" | "Sort" | "Exclude"
        | "Include" | "Attr" | "Join" | "Limit" | "Offset" | "Unique" | "Math" | "GetPrivateIP" | "GetPrivateIPs"
        | "GetPublicIP" | "GetPublicIPs" | "GetInterfaceIP" | "GetInterfaceIPs" => "reads the network interfaces";
}

unknown_table! { AWS:
    "EC2Region" | "EC2Meta" | "EC2Dynamic" | "EC2Tag" | "EC2Tags" | "KMSEncrypt" | "KMSDecrypt" | "UserID" | "Account"
        | "ARN" => "asks AWS";
}

unknown_table! { GCP:
    "Meta" => "asks Google Cloud";
}

/// The layouts that gomplate names.
const LAYOUTS: &[(&str, &str)] = &[
    ("ANSIC", "Mon Jan _2 15:04:05 2006"),
    ("UnixDate", "Mon Jan _2 15:04:05 MST 2006"),
    ("RubyDate", "Mon Jan 02 15:04:05 -0700 2006"),
    ("RFC822", "02 Jan 06 15:04 MST"),
    ("RFC822Z", "02 Jan 06 15:04 -0700"),
    ("RFC850", "Monday, 02-Jan-06 15:04:05 MST"),
    ("RFC1123", "Mon, 02 Jan 2006 15:04:05 MST"),
    ("RFC1123Z", "Mon, 02 Jan 2006 15:04:05 -0700"),
    ("RFC3339", "2006-01-02T15:04:05Z07:00"),
    ("RFC3339Nano", "2006-01-02T15:04:05.999999999Z07:00"),
    ("Kitchen", "3:04PM"),
    ("Stamp", "Jan _2 15:04:05"),
    ("StampMilli", "Jan _2 15:04:05.000"),
    ("StampMicro", "Jan _2 15:04:05.000000"),
    ("StampNano", "Jan _2 15:04:05.000000000"),
];

macro_rules! namespaces {
    ($($name:literal $type:literal [$($table:expr),*] $fields:expr;)*) => {
        /// Every namespace.
        pub(super) const ALL: &[Namespace] = &[$(Namespace {
            name: $name,
            type_name: $type,
            methods: &[$($table),*],
            fields: $fields,
        }),*];
    };
}

namespaces! {
    "strings" "*funcs.StringFuncs" [text::STRINGS] &[];
    "regexp" "*funcs.ReFuncs" [text::REGEXP] &[];
    "path" "*funcs.PathFuncs" [text::PATH] &[];
    "filepath" "*funcs.FilePathFuncs" [text::PATH, text::FILEPATH] &[];
    "base64" "*funcs.Base64Funcs" [text::BASE64] &[];
    "crypto" "*funcs.CryptoFuncs" [text::CRYPTO, text::CRYPTO_UNKNOWN] &[];
    "uuid" "*funcs.UUIDFuncs" [text::UUID, text::UUID_UNKNOWN] &[];
    "conv" "*funcs.ConvFuncs" [data::CONV] &[];
    "coll" "*funcs.CollFuncs" [data::COLL, data::COLL_MORE] &[];
    "data" "*funcs.DataFuncs" [data::DATA] &[];
    "math" "*funcs.MathFuncs" [data::MATH, data::MATH_MORE] &[];
    "test" "*funcs.TestFuncs" [data::TEST] &[];
    "time" "*funcs.TimeFuncs" [data::TIME, data::TIME_UNKNOWN] LAYOUTS;
    "env" "*funcs.EnvFuncs" [ENV] &[];
    "file" "*funcs.FileFuncs" [FILE] &[];
    "random" "*funcs.RandomFuncs" [RANDOM] &[];
    "net" "*funcs.NetFuncs" [net::NET, net::NET_UNKNOWN] &[];
    "sockaddr" "*funcs.SockaddrFuncs" [SOCKADDR] &[];
    "aws" "*funcs.Funcs" [AWS] &[];
    "gcp" "*funcs.GcpFuncs" [GCP] &[];
}
