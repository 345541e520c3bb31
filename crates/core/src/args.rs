//! Command-line pieces that several subcommands share.

use crate::driver::tls::{Mode, Tls};
use crate::driver::{Credentials, Kind};
use crate::endpoint::Endpoint;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::time::Duration;

/// Which one server to talk to.
#[derive(clap::Args)]
pub struct ServerArgs {
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// Default: 3306 or 5432.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// A unix socket instead of host and port.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["host", "port"])]
    socket: Option<PathBuf>,
}

impl ServerArgs {
    pub fn endpoint(&self, kind: Kind) -> Endpoint {
        let default = match kind {
            Kind::Postgres => 5432,
            _ => 3306,
        };
        match &self.socket {
            Some(path) => Endpoint::Unix(path.clone()),
            None => Endpoint::Tcp {
                host: self.host.clone(),
                port: self.port.unwrap_or(default),
            },
        }
    }
}

/// Who logs in, and to which database.
#[derive(clap::Args)]
pub struct Login {
    #[arg(long, value_name = "USER", default_value = "root")]
    pub user: String,
    /// Environment variable that holds the password; without it the password is empty.
    #[arg(long, value_name = "NAME")]
    pub password_env: Option<String>,
    #[arg(long, value_name = "NAME", default_value = "")]
    pub database: String,
    /// Whether to encrypt, and whom to trust. Unix sockets are never encrypted.
    #[arg(long, value_enum, value_name = "MODE", default_value = "prefer")]
    pub tls: Mode,
    /// PEM file of the authorities that verify-ca and verify-full trust; default: the machine's.
    #[arg(long, value_name = "FILE")]
    pub tls_ca: Option<PathBuf>,
}

impl Login {
    pub fn credentials(&self) -> Result<Credentials> {
        let password = match &self.password_env {
            None => String::new(),
            Some(name) => std::env::var(name)
                .with_context(|| format!("--password-env: environment variable {name}"))
                .map_err(Usage::wrap)?,
        };
        Ok(Credentials {
            user: self.user.clone(),
            password,
            database: self.database.clone(),
            private_transport: false,
            tls: Tls::new(self.tls, self.tls_ca.as_deref()).map_err(Usage::error)?,
        })
    }
}

/// An error of the user's making: exit code 2.
#[derive(Debug)]
pub struct Usage(String);

impl Usage {
    pub fn error(message: impl Into<String>) -> anyhow::Error {
        anyhow::Error::new(Usage(message.into()))
    }

    fn wrap(error: anyhow::Error) -> anyhow::Error {
        Usage::error(format!("{error:#}"))
    }
}

impl std::fmt::Display for Usage {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// A time such as 500ms, 1.5s, 2m; a bare number is seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("expected a time such as 500ms, 1s or 2m, found '{text}'");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match &text[digits.len()..] {
        "us" => 1e-6,
        "ms" => 1e-3,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    let seconds = number * scale;
    if !(seconds > 0.0 && seconds < 1e9) {
        return Err(wrong());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// A name that needs no quoting in SQL.
pub fn identifier(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if text.is_empty() || !text.chars().all(plain) || text.starts_with(|c: char| c.is_ascii_digit())
    {
        return Err("expected letters, digits and underscores, no digit first".to_string());
    }
    Ok(text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_need_no_quoting() {
        assert_eq!(
            identifier("fivenines_ledger2"),
            Ok("fivenines_ledger2".to_string())
        );
        for text in ["", "2a", "a b", "a;", "a.b"] {
            assert!(identifier(text).is_err(), "{text}");
        }
    }

    #[test]
    fn reads_times_with_units() {
        assert_eq!(seconds("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(seconds("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(seconds("1d"), Ok(Duration::from_secs(86_400)));
        for text in ["", "s", "-1s", "0", "1w", "nan", "inf"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
