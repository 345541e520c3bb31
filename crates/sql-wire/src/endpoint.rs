//! Where a client connects to: HOST:PORT, the path of a unix socket, or a connection string of ODBC.

use crate::kind::Kind;
use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::str::FromStr;

/// What a connection string of ODBC begins with here.
const ODBC: &str = "odbc:";

#[derive(Clone, PartialEq, Eq)]
pub enum Endpoint {
    Tcp {
        host: String,
        port: u16,
    },
    Unix(PathBuf),
    /// A connection string without its password.
    Odbc(String),
}

impl Endpoint {
    /// The host's name or address; None for a unix socket, and where ODBC's driver knows it alone.
    pub fn host(&self) -> Option<&str> {
        match self {
            Endpoint::Tcp { host, .. } => Some(host),
            Endpoint::Unix(_) | Endpoint::Odbc(_) => None,
        }
    }

    /// Why a server of this kind is not reached here.
    pub fn check(&self, kind: Kind) -> Result<(), String> {
        match kind.is_by_odbc_alone() && !self.is_odbc() {
            true => Err(format!(
                "{} is reached by ODBC alone: write odbc:...",
                kind.name()
            )),
            false => Ok(()),
        }
    }

    pub fn is_odbc(&self) -> bool {
        matches!(self, Endpoint::Odbc(_))
    }

    /// The address, if the host is one and needs no resolver.
    pub fn literal(&self) -> Option<SocketAddr> {
        match self {
            Endpoint::Tcp { host, port } => Some(SocketAddr::new(host.parse().ok()?, *port)),
            Endpoint::Unix(_) | Endpoint::Odbc(_) => None,
        }
    }

    /// All addresses of a TCP endpoint, at least one, in the resolver's order. A name may take seconds.
    pub fn resolve(&self) -> Result<Vec<SocketAddr>, String> {
        let Endpoint::Tcp { host, port } = self else {
            return Err("only HOST:PORT has addresses".to_string());
        };
        if let Some(address) = self.literal() {
            return Ok(vec![address]);
        }
        let mut addresses: Vec<SocketAddr> = Vec::new();
        let found = (host.as_str(), *port)
            .to_socket_addrs()
            .map_err(|error| format!("cannot resolve {host}: {error}"))?;
        for address in found {
            if !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        match addresses.is_empty() {
            true => Err(format!("{host} has no address")),
            false => Ok(addresses),
        }
    }
}

/// The form for messages, without passwords.
impl fmt::Debug for Endpoint {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Endpoint::Tcp { host, port } if host.contains(':') => write!(out, "[{host}]:{port}"),
            Endpoint::Tcp { host, port } => write!(out, "{host}:{port}"),
            Endpoint::Unix(path) => write!(out, "{}", path.display()),
            Endpoint::Odbc(text) => write!(out, "{ODBC}{}", odbc::string::redacted(text)),
        }
    }
}

impl From<SocketAddr> for Endpoint {
    fn from(address: SocketAddr) -> Endpoint {
        Endpoint::Tcp {
            host: address.ip().to_string(),
            port: address.port(),
        }
    }
}

impl FromStr for Endpoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Endpoint, String> {
        if text.starts_with('/') {
            return Ok(Endpoint::Unix(PathBuf::from(text)));
        }
        if let Some(connection) = text.strip_prefix(ODBC) {
            return Ok(Endpoint::Odbc(connection.to_string()));
        }
        let wrong =
            || format!("expected HOST:PORT, the path of a unix socket or odbc:..., found '{text}'");
        let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let port = port.parse().map_err(|_| wrong())?;
        if host.is_empty() || port == 0 {
            return Err(wrong());
        }
        Ok(Endpoint::Tcp {
            host: host.to_string(),
            port,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_every_form() {
        for text in [
            "10.0.0.1:3306",
            "db.example:5432",
            "[::1]:1",
            "/tmp/x.sock",
            "odbc:Driver={A B};Server=h;Port=1",
        ] {
            assert_eq!(text.parse::<Endpoint>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn literal_addresses_need_no_resolver() {
        for text in ["10.0.0.1:3306", "[::1]:1"] {
            let endpoint: Endpoint = text.parse().unwrap();
            let address = endpoint.literal().unwrap();
            assert_eq!(address.to_string(), text);
            assert_eq!(endpoint.resolve(), Ok(vec![address]));
            assert_eq!(endpoint, address.into());
        }
        assert_eq!("db:1".parse::<Endpoint>().unwrap().literal(), None);
        assert!("/tmp/x".parse::<Endpoint>().unwrap().resolve().is_err());
    }

    #[test]
    fn a_password_is_not_shown() {
        let endpoint: Endpoint = "odbc:DSN=x;PWD=secret".parse().unwrap();
        let shown = format!("{endpoint} {endpoint:?}");
        assert_eq!(shown, "odbc:DSN=x;PWD=*** odbc:DSN=x;PWD=***");
    }

    #[test]
    fn refuses_the_rest() {
        for text in ["", "host", ":1", "host:0", "host:99999", "host:x"] {
            let message = text.parse::<Endpoint>().unwrap_err();
            assert!(message.contains("HOST:PORT"), "{message}");
        }
    }
}
