//! Where a port leads to: ADDRESS:PORT, or NAME:PORT, which is resolved for each connection, as a client of the lab
//! would.

use std::io::{Error, Result};
use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target(Arc<str>);

impl Target {
    /// The address that it has now. A name may take seconds.
    pub fn address(&self) -> Result<SocketAddr> {
        let mut found = self.0.to_socket_addrs()?;
        found
            .next()
            .ok_or_else(|| Error::other(format!("{} has no address", self.0)))
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Target, String> {
        let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty());
        match port.map(|(_, port)| port.parse::<u16>()) {
            Some(Ok(_)) => Ok(Target(text.into())),
            _ => Err(format!("{text:?} is not ADDRESS:PORT or NAME:PORT")),
        }
    }
}

impl From<SocketAddr> for Target {
    fn from(address: SocketAddr) -> Target {
        Target(address.to_string().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_addresses_and_names() {
        let address: SocketAddr = "10.0.0.1:5432".parse().unwrap();
        let target: Target = "10.0.0.1:5432".parse().unwrap();
        assert_eq!(target, address.into());
        assert_eq!(target.address().unwrap(), address);
        let name: Target = "localhost:5432".parse().unwrap();
        assert!(name.address().unwrap().ip().is_loopback());
        for text in ["", "host", ":1", "host:x", "host:70000"] {
            assert!(text.parse::<Target>().is_err(), "{text}");
        }
    }
}
