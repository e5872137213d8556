//! gomplate's `net`: addresses, prefixes and ranges, with the methods that templates call on them.

mod address;
#[cfg(test)]
mod tests;

use super::call::{Args, unknown_call};
use super::cast::conv_text;
use crate::{Object, Val};
use address::{Address, Family};
use go_compat::strconv;
use std::fmt;
use std::sync::Arc;
use traced_value::{Data, Value};

table! { NET:
    "ParseIP" ("a") => |a| Address::parse(&conv_text(a.val(0))).map(object);
    "ParseIPPrefix" ("a") => |a| Prefix::parse(&conv_text(a.val(0))).map(object);
    "ParseIPRange" ("a") => |a| Range::parse(&conv_text(a.val(0))).map(object);
    "CIDRHost" ("aa") => experimental;
    "CIDRNetmask" ("a") => experimental;
    "CIDRSubnets" ("aa") => experimental;
    "CIDRSubnetSizes" ("a*") => experimental;
}

unknown_table! { NET_UNKNOWN:
    "LookupIP" | "LookupIPs" | "LookupCNAME" | "LookupSRV" | "LookupSRVs" | "LookupTXT" => "needs network access";
}

/// Programs that only embed gomplate have no way to turn experimental functions on.
fn experimental(_: &Args<'_>) -> Result<Val, String> {
    Err("experimental function, but experimental mode not enabled".into())
}

fn object(object: impl Object + 'static) -> Val {
    Val::Object(Arc::new(object))
}

fn text(text: impl fmt::Display) -> Val {
    Value::str(text.to_string()).into()
}

fn truth(truth: bool) -> Val {
    Data::Bool(truth).into()
}

/// An address with the length of a mask, `10.0.0.0/16`.
#[derive(Clone, Debug, PartialEq)]
struct Prefix {
    address: Address,
    bits: u32,
}

/// All addresses from one to another, `10.0.0.1-10.0.0.9`.
#[derive(Clone, Debug, PartialEq)]
struct Range {
    from: Address,
    to: Address,
}

impl Prefix {
    fn parse(text: &str) -> Result<Prefix, String> {
        let fail = |text: &str, why: &str| format!("netaddr.ParseIPPrefix({}): {why}", strconv::quote(text, false));
        let (address, bits) = text.rsplit_once('/').ok_or_else(|| fail(text, "no '/'"))?;
        let address = Address::parse(address).map_err(|error| fail(text, &error))?;
        // The library then names the length alone.
        let number = strconv::atoi(bits)
            .map_err(|(error, _)| fail(bits, &format!("bad prefix: {}", error.text("Atoi", bits))))?;
        match u32::try_from(number) {
            Ok(length) if length <= address.family.bits() => {
                Ok(Prefix { address: address.without_zone(), bits: length })
            }
            _ => Err(fail(bits, "prefix length out of range")),
        }
    }

    fn masked(&self) -> Prefix {
        Prefix { address: self.address.masked(self.bits), bits: self.bits }
    }

    fn range(&self) -> Range {
        let from = self.address.masked(self.bits);
        let to = Address { number: from.number | from.host_mask(self.bits), ..from.clone() };
        Range { from, to }
    }

    fn contains(&self, address: &Address) -> bool {
        address.zone.is_empty() && address.family == self.address.family && {
            address.masked(self.bits).number == self.address.masked(self.bits).number
        }
    }

    fn overlaps(&self, other: &Prefix) -> bool {
        let bits = self.bits.min(other.bits);
        self.address.family == other.address.family
            && self.address.masked(bits).number == other.address.masked(bits).number
    }
}

impl Range {
    fn parse(text: &str) -> Result<Range, String> {
        let shown = |text: &str| strconv::quote(text, false);
        let (from, to) = text.split_once('-').ok_or_else(|| format!("no hyphen in range {}", shown(text)))?;
        let end = |what: &str, end: &str| {
            let address = Address::parse(end).map(|address| address.without_zone());
            address.map_err(|_| format!("invalid {what} IP {} in range {}", shown(end), shown(text)))
        };
        let range = Range { from: end("From", from)?, to: end("To", to)? };
        if range.from.family != range.to.family || range.from.number > range.to.number {
            return Err(format!("range {} to {} not valid", range.from, range.to));
        }
        Ok(range)
    }

    fn contains(&self, address: &Address) -> bool {
        address.zone.is_empty() && self.from <= *address && self.to >= *address
    }

    fn overlaps(&self, other: &Range) -> bool {
        self.from <= other.to && other.from <= self.to
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

/// The only argument of a method, which must be such an object.
fn other<T>(args: &[Val], name: &'static str, parse: impl Fn(&str) -> Result<T, String>) -> Result<T, String> {
    match args {
        [Val::Object(object)] if object.type_name() == name => parse(&object.print()),
        [Val::Missing] => Err(format!("invalid value; expected {name}")),
        [Val::Object(object)] => Err(mismatch(name, object.type_name())),
        [value] => Err(mismatch(name, crate::format::type_name(value))),
        _ => Err(format!("wrong number of args: want 1 got {}", args.len())),
    }
}

fn mismatch(expected: &str, got: &str) -> String {
    format!("wrong type for value; expected {expected}; got {got}")
}

/// The length of a mask that is an argument.
fn bits(args: &[Val]) -> Option<u32> {
    match args {
        [Val::Data(Value { data: Data::Int(bits), .. })] => u32::try_from(*bits).ok().filter(|bits| *bits < 256),
        _ => None,
    }
}

/// Implements [`Object`]: methods without arguments, those with some, and the ones that are left unknown.
macro_rules! methods {
    ($type:ty, $name:literal, $self:ident, $args:ident:
        [$($plain:literal => $value:expr;)*] [$($taking:literal => $result:expr;)*] [$($open:literal)*]) => {
        impl Object for $type {
            fn call(&self, name: &str, args: &[Val]) -> Result<Val, String> {
                let ($self, $args) = (self, args);
                match name {
                    $($plain if args.is_empty() => Ok($value),)*
                    $($plain)|* => Err(format!("wrong number of args for {name}: want 0 got {}", args.len())),
                    $($taking if $args.len() == 1 => $result,)*
                    $($taking)|* => Err(format!("wrong number of args for {name}: want 1 got {}", args.len())),
                    $($open)|* => Ok(unknown_call(name, &format!("`{name}` is not evaluated"), args)),
                    _ => Err(format!("can't evaluate field {name} in type {}", self.type_name())),
                }
            }

            fn has(&self, name: &str) -> bool {
                matches!(name, $($plain)|* | $($taking)|* | $($open)|*)
            }

            fn print(&self) -> String {
                self.to_string()
            }

            fn type_name(&self) -> &'static str {
                $name
            }
        }
    };
}

const IP: &str = "netaddr.IP";

methods! { Address, "netaddr.IP", ip, args:
    [
        "String" => text(ip);
        "StringExpanded" => text(ip.expanded());
        "Zone" => text(&ip.zone);
        "BitLen" => Data::Int(ip.family.bits().into()).into();
        "Is4" => truth(ip.family == Family::V4);
        "Is6" => truth(ip.family == Family::V6);
        "Is4in6" => truth(ip.is_mapped());
        "IsValid" => truth(true);
        "IsZero" => truth(false);
        "IsGlobalUnicast" => truth(ip.is_global_unicast());
        "IsInterfaceLocalMulticast" => truth(ip.is_scoped_multicast(1));
        "IsLinkLocalMulticast" => truth(ip.is_link_local_multicast());
        "IsLinkLocalUnicast" => truth(ip.is_link_local_unicast());
        "IsLoopback" => truth(ip.is_loopback());
        "IsMulticast" => truth(ip.is_multicast());
        "IsPrivate" => truth(ip.is_private());
        "IsUnspecified" => truth(ip.number == 0 && ip.zone.is_empty());
        "Unmap" => object(ip.unmapped());
        "Next" => ip.moved(true).map_or_else(|| unknown_call("Next", "`Next` has no result here", args), object);
        "Prior" => ip.moved(false).map_or_else(|| unknown_call("Prior", "`Prior` has no result here", args), object);
    ]
    [
        "Compare" => Ok(Data::Int(ip.cmp(&other(args, IP, Address::parse)?) as i64).into());
        "Less" => Ok(truth(*ip < other(args, IP, Address::parse)?));
        "Prefix" => match bits(args) {
            None => Ok(unknown_call("Prefix", "`Prefix` of this is not evaluated", args)),
            Some(bits) if bits <= ip.family.bits() => {
                Ok(object(Prefix { address: ip.masked(bits).without_zone(), bits }))
            }
            Some(bits) => Err(format!("prefix length {bits} too large for {}", ip.family.name())),
        };
    ]
    ["AppendTo" "As16" "As4" "IPAddr" "MarshalBinary" "MarshalText" "Netmask" "WithZone"]
}

methods! { Prefix, "netaddr.IPPrefix", prefix, args:
    [
        "String" => text(prefix);
        "IP" => object(prefix.address.clone());
        "Bits" => Data::Int(prefix.bits.into()).into();
        "IsValid" => truth(true);
        "Valid" => truth(true);
        "IsZero" => truth(false);
        "IsSingleIP" => truth(prefix.bits == prefix.address.family.bits());
        "Masked" => object(prefix.masked());
        "Range" => object(prefix.range());
    ]
    [
        "Contains" => Ok(truth(prefix.contains(&other(args, IP, Address::parse)?)));
        "Overlaps" => Ok(truth(prefix.overlaps(&other(args, "netaddr.IPPrefix", Prefix::parse)?)));
    ]
    ["AppendTo" "IPNet" "MarshalText"]
}

methods! { Range, "netaddr.IPRange", range, args:
    [
        "String" => text(range);
        "From" => object(range.from.clone());
        "To" => object(range.to.clone());
        "IsValid" => truth(true);
        "Valid" => truth(true);
        "IsZero" => truth(false);
    ]
    [
        "Contains" => Ok(truth(range.contains(&other(args, IP, Address::parse)?)));
        "Overlaps" => Ok(truth(range.overlaps(&other(args, "netaddr.IPRange", Range::parse)?)));
    ]
    ["AppendPrefixes" "AppendTo" "MarshalText" "Prefixes"]
}
