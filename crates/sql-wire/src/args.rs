//! The arguments that name a server and who logs in.

use crate::credentials::Credentials;
use crate::endpoint::Endpoint;
use crate::kind::Kind;
use crate::options::{ChannelBinding, RequireAuth, SessionOptions};
use crate::tls::{Files, Mode, Tls};
use anyhow::{Context, Result};
use base::arguments::Usage;
use std::path::PathBuf;

/// The server to connect to, and who logs in there.
#[derive(clap::Args)]
pub struct ServerArgs {
    /// The protocol to speak.
    #[arg(long, value_enum)]
    pub driver: Kind,
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// Port of the server. Default: 3306 or 5432.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
    /// Path of a unix socket, instead of host and port.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["host", "port"])]
    socket: Option<PathBuf>,
    /// ODBC connection string without a password, instead of host and port.
    #[arg(long, value_name = "STRING", conflicts_with_all = ["host", "port", "socket"])]
    odbc: Option<String>,
    #[command(flatten)]
    pub login: Login,
}

impl ServerArgs {
    pub fn endpoint(&self) -> Endpoint {
        let default = match self.driver {
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

/// The account and the database of a login.
#[derive(clap::Args)]
pub struct Login {
    #[arg(long, value_name = "USER", default_value = "root")]
    pub user: String,
    /// Environment variable with the password. Default: an empty password.
    #[arg(long, value_name = "NAME")]
    pub password_env: Option<String>,
    #[arg(long, value_name = "NAME", default_value = "")]
    pub database: String,
    /// TLS mode. Unix sockets are never encrypted.
    #[arg(long, value_enum, value_name = "MODE", default_value = "prefer")]
    pub tls: Mode,
    /// PEM file with the CA certificates for verify-ca and verify-full. Default: the machine's.
    #[arg(long, value_name = "FILE")]
    pub tls_ca: Option<PathBuf>,
    /// PEM file with the client's certificate and its chain.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// PEM file with the certificate's private key, unencrypted.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Start TLS directly instead of requesting it (PostgreSQL 17 and newer).
    #[arg(long)]
    pub tls_direct: bool,
    /// Channel binding of SCRAM logins (PostgreSQL).
    #[arg(long, value_enum, value_name = "WORD", default_value = "prefer")]
    pub channel_binding: ChannelBinding,
    /// Accepted authentication methods, or with ! rejected ones, as in libpq (PostgreSQL).
    #[arg(long, value_name = "METHODS")]
    pub require_auth: Option<RequireAuth>,
    /// Parameter of the startup message, such as `application_name=nightly` (PostgreSQL).
    #[arg(long, value_name = "NAME=VALUE", value_parser = SessionOptions::parameter)]
    pub startup: Vec<(String, String)>,
    /// Statement that each session executes first (MySQL).
    #[arg(long, value_name = "SQL", default_value = "")]
    pub init_sql: String,
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
            tls: Tls::configured(self.tls, &self.files()).map_err(Usage::error)?,
            options: SessionOptions {
                startup: self.startup.clone(),
                init_sql: self.init_sql.clone(),
                channel_binding: self.channel_binding,
                require_auth: self.require_auth.clone().unwrap_or_default(),
                direct_tls: self.tls_direct,
            },
        })
    }

    fn files(&self) -> Files<'_> {
        Files {
            authorities: self.tls_ca.as_deref(),
            identity: self.tls_cert.as_deref().zip(self.tls_key.as_deref()),
            names_protocol: self.tls_direct,
        }
    }
}
