//! Addresses and networks.

use super::{Args, Fail, Function, N, Outcome, S, function};
use crate::types::Type;
use crate::val::Val;
use num_bigint::{BigInt, BigUint};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub(super) const ALL: &[Function] = &[
    function("cidrcontains", &[S, S], contains),
    function("cidrhost", &[S, N], host),
    function("cidrnetmask", &[S], netmask),
    function("cidrsubnet", &[S, N, N], subnet),
    function("cidrsubnets", &[S], subnets).rest(N),
];

/// A network: its first address and the length of its prefix, in so many bits.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Network {
    address: u128,
    prefix: u32,
    bits: u32,
}

impl Network {
    fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = text.split_once('/')?;
        let (address, bits) = number_of(address)?;
        let is_plain = !prefix.is_empty() && prefix.bytes().all(|b| b.is_ascii_digit());
        let prefix: u32 = prefix.parse().ok().filter(|p| is_plain && *p <= bits)?;
        Some(Network { address: address & mask(prefix, bits), prefix, bits })
    }

    fn text(self) -> String {
        format!("{}/{}", address_text(self.address, self.bits), self.prefix)
    }

    /// The last address.
    fn last(self) -> u128 {
        self.address | low(self.bits - self.prefix)
    }
}

/// Parses an address to a number and its number of bits. Go reads leading zeros as decimal digits; the number is kept.
fn number_of(text: &str) -> Option<(u128, u32)> {
    if text.contains(':') {
        let address: Ipv6Addr = text.parse().ok()?;
        return Some((u128::from(address), 128));
    }
    let parts: Vec<&str> = text.split('.').collect();
    let bytes: Option<Vec<u32>> = parts
        .iter()
        .map(|p| p.parse::<u32>().ok().filter(|n| *n < 256 && p.bytes().all(|b| b.is_ascii_digit())))
        .collect();
    let bytes = bytes.filter(|b| b.len() == 4)?;
    Some((bytes.iter().fold(0, |sum, byte| sum << 8 | u128::from(*byte)), 32))
}

fn address_text(address: u128, bits: u32) -> String {
    match bits {
        32 => Ipv4Addr::from(address as u32).to_string(),
        _ => IpAddr::from(Ipv6Addr::from(address)).to_string(),
    }
}

/// So many bits set at the low end.
fn low(count: u32) -> u128 {
    if count >= 128 { u128::MAX } else { (1 << count) - 1 }
}

/// The bits of a prefix.
fn mask(prefix: u32, bits: u32) -> u128 {
    low(bits) & !low(bits - prefix)
}

fn network(args: &Args<'_, '_>) -> Result<Network, Fail> {
    let text = args.str(0);
    Network::parse(text).ok_or_else(|| Fail::Call(format!("invalid CIDR expression: invalid CIDR address: {text}")))
}

fn host(args: &mut Args<'_, '_>) -> Outcome {
    let network = network(args)?;
    let number = args.number(1).as_integer();
    let number = number.ok_or_else(|| Fail::Argument(1, "a whole number is required".to_owned()))?;
    let size = BigInt::from(1) << (network.bits - network.prefix);
    let wanted = if number < BigInt::ZERO { &size + &number } else { number.clone() };
    if wanted < BigInt::ZERO || wanted >= size {
        return Err(Fail::Call(format!("prefix of {} does not accommodate a host numbered {number}", network.prefix)));
    }
    let offset = u128::try_from(wanted).unwrap_or(0);
    Ok(Val::str(address_text(network.address + offset, network.bits)))
}

fn netmask(args: &mut Args<'_, '_>) -> Outcome {
    let network = network(args)?;
    if network.bits != 32 {
        return Err(Fail::Call("IPv6 addresses cannot have a netmask: only IPv4 networks have one".to_owned()));
    }
    Ok(Val::str(address_text(mask(network.prefix, 32), 32)))
}

/// The network of a number with so many bits more.
fn part(network: Network, new_bits: i64, number: &BigInt) -> Result<Network, Fail> {
    let prefix = i64::from(network.prefix).saturating_add(new_bits);
    let prefix = u32::try_from(prefix).ok().filter(|p| *p <= network.bits);
    let Some(prefix) = prefix else {
        return Err(Fail::Call(format!(
            "insufficient address space to extend prefix of {} by {new_bits}",
            network.prefix
        )));
    };
    let misfit =
        || Fail::Call(format!("prefix extension of {new_bits} does not accommodate a subnet numbered {number}"));
    // OpenTofu takes negative numbers: it looks at their magnitude, and joins the bits of their two's complement.
    if u64::try_from(new_bits).is_ok_and(|bits| *number.magnitude() >= BigUint::from(1_u8) << bits) {
        return Err(misfit());
    }
    let address = BigInt::from(network.address) | (number << (network.bits - prefix));
    let address = u128::try_from(address.magnitude().clone()).ok().filter(|address| *address <= low(network.bits));
    Ok(Network { address: address.ok_or_else(misfit)?, prefix, bits: network.bits })
}

fn subnet(args: &mut Args<'_, '_>) -> Outcome {
    let network = network(args)?;
    let new_bits = args.integer(1)?;
    let number = args.number(2).as_integer();
    let number = number.ok_or_else(|| Fail::Argument(2, "a whole number is required".to_owned()))?;
    Ok(Val::str(part(network, new_bits, &number)?.text()))
}

fn subnets(args: &mut Args<'_, '_>) -> Outcome {
    let network = network(args)?;
    let mut next = network.address;
    // The first subnet follows the one before the network. There is none before the first address.
    let (mut found, mut is_full, mut previous) = (Vec::new(), network.address == 0, None);
    for index in 1..args.values.len() {
        let new_bits = args.integer(index)?;
        if new_bits < 1 {
            return Err(Fail::Argument(index, "must extend prefix by at least one bit".to_owned()));
        }
        if new_bits > 32 {
            return Err(Fail::Argument(index, "may not extend prefix by more than 32 bits".to_owned()));
        }
        let prefix = network.prefix + new_bits as u32;
        if prefix > network.bits {
            let message = format!(
                "would extend prefix to {prefix} bits, which is too long for an address of {} bits",
                network.bits
            );
            return Err(Fail::Argument(index, message));
        }
        let size = low(network.bits - prefix);
        let start = match next & size {
            0 => Some(next),
            _ => (next | size).checked_add(1),
        };
        let start = start.filter(|s| !is_full && *s <= network.last());
        let Some(start) = start else {
            let after = previous.map_or_else(|| before(network, prefix), Network::text);
            let message =
                format!("not enough remaining address space for a subnet with a prefix of {prefix} bits after {after}");
            return Err(Fail::Argument(index, message));
        };
        let subnet = Network { address: start, prefix, bits: network.bits };
        found.push(Val::str(subnet.text()));
        previous = Some(subnet);
        match (start | size).checked_add(1) {
            Some(following) => next = following,
            None => is_full = true,
        }
    }
    Ok(Val::list(Type::Str, found))
}

/// The network that ends where another one begins, round the end of all addresses.
fn before(network: Network, prefix: u32) -> String {
    let address = network.address.wrapping_sub(1) & mask(prefix, network.bits);
    Network { address, prefix, bits: network.bits }.text()
}

fn contains(args: &mut Args<'_, '_>) -> Outcome {
    let outer = network(args)?;
    let text = args.str(1);
    let (first, last, bits) = match Network::parse(text) {
        Some(inner) => (inner.address, inner.last(), inner.bits),
        None => {
            let (address, bits) =
                number_of(text).ok_or_else(|| Fail::Call(format!("invalid IP address or prefix: {text}")))?;
            (address, address, bits)
        }
    };
    if bits != outer.bits {
        return Err(Fail::Call(format!("address family mismatch: {} vs. {text}", args.str(0))));
    }
    Ok(Val::bool(outer.address <= first && last <= outer.last()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_address_of_a_network() {
        let text = |n: &str| address_text(Network::parse(n).unwrap().last(), Network::parse(n).unwrap().bits);
        assert_eq!(text("10.0.0.0/8"), "10.255.255.255");
        assert_eq!(text("0.0.0.0/0"), "255.255.255.255");
        assert_eq!(text("::/0"), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
        assert_eq!(text("10.1.2.3/32"), "10.1.2.3");
    }
}
