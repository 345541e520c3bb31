//! The arguments that name a server and who logs in.

use crate::endpoint::Endpoint;
use crate::tls::{Mode, Tls};
use crate::{Credentials, Kind};
use anyhow::{Context, Result};
use base::arguments::Usage;
use std::path::PathBuf;

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
    /// A connection string of ODBC instead, without its password.
    #[arg(long, value_name = "STRING", conflicts_with_all = ["host", "port", "socket"])]
    odbc: Option<String>,
}

impl ServerArgs {
    pub fn endpoint(&self, kind: Kind) -> Endpoint {
        let default = match kind {
            Kind::Postgres => 5432,
            _ => 3306,
        };
        match (&self.odbc, &self.socket) {
            (Some(connection), _) => Endpoint::Odbc(connection.clone()),
            (None, Some(path)) => Endpoint::Unix(path.clone()),
            (None, None) => Endpoint::Tcp {
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
            by_odbc: false,
            tls: Tls::new(self.tls, self.tls_ca.as_deref()).map_err(Usage::error)?,
        })
    }
}
