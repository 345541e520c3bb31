//! Local addresses to connect from. With one address there are about 28,000 ports for each address of a server.

use std::cell::Cell;
use std::net::{IpAddr, SocketAddr};

/// Addresses of this machine, used in turn; none: the kernel chooses.
#[derive(Clone, Debug, Default)]
pub struct Binding {
    addresses: Vec<IpAddr>,
    next: Cell<usize>,
}

impl Binding {
    pub fn new(addresses: &[IpAddr]) -> Binding {
        Binding {
            addresses: addresses.to_vec(),
            next: Cell::new(0),
        }
    }

    /// The next one that can reach this address: of the same family.
    pub fn next(&self, to: SocketAddr) -> Option<IpAddr> {
        let count = self.addresses.len();
        let order = (0..count).map(|step| (self.next.get() + step) % count);
        let mut fitting = order.filter(|&at| self.addresses[at].is_ipv4() == to.is_ipv4());
        let at = fitting.next()?;
        self.next.set(at + 1);
        Some(self.addresses[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_take_turns_within_their_family() {
        let addresses = ["127.0.0.1", "::1", "127.0.0.2"].map(|one| one.parse().unwrap());
        let binding = Binding::new(&addresses);
        let next = |to: &str| {
            let found = binding.next(to.parse().unwrap());
            found.map(|address| address.to_string())
        };
        let expected = ["127.0.0.1", "127.0.0.2", "127.0.0.1"].map(|one| Some(one.to_string()));
        assert_eq!(["10.0.0.1:1"; 3].map(next), expected);
        assert_eq!(next("[::5]:1"), Some("::1".to_string()));
        assert_eq!(Binding::default().next("10.0.0.1:1".parse().unwrap()), None);
    }
}
