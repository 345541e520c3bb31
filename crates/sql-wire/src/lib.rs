//! How to talk to a database server: one `Session` per protocol (ODBC's calls, as frames, are one), free of sockets.
//!
//! A session turns calls into bytes and bytes into events. It owns no transport, reads no clock and
//! decides no policy: it reports facts (a reply, or a classified failure) and its user chooses what to do.
//! That keeps the protocols testable byte by byte and lets one event loop drive thousands of them.

pub mod args;
pub mod blocking;
pub mod committing;
mod credentials;
mod der;
pub mod effect;
pub mod endpoint;
pub mod failure;
mod kind;
pub mod mysql;
pub mod noop;
pub mod odbc;
pub mod options;
mod parameters;
pub mod postgres;
pub mod role;
pub mod rows;
mod session;
mod statement;
pub mod storage;
#[cfg(test)]
mod testing;
pub mod tls;

pub use credentials::Credentials;
pub use effect::{Effect, Standing};
pub use failure::{Class, Failure};
pub use kind::Kind;
pub use parameters::{Parameters, Type, Value};
pub use rows::Rows;
pub use session::{Call, Event, Fed, LONGEST_LOG_IN_MESSAGE, LONGEST_MESSAGE, Reply, Session};
pub use statement::Statement;

/// A fresh session that has not spoken yet.
pub fn session(kind: Kind, credentials: &Credentials) -> Box<dyn Session> {
    match kind {
        Kind::Noop => Box::new(noop::NoopSession::default()),
        _ if credentials.by_odbc => Box::new(odbc::OdbcSession::new(kind, credentials)),
        Kind::Mysql => Box::new(mysql::MysqlSession::new(credentials.clone())),
        Kind::Postgres => Box::new(postgres::PostgresSession::new(credentials.clone())),
        // never spoken to: `args` refuses other endpoints than those of ODBC
        Kind::Soliddb | Kind::Oracle | Kind::Sqlserver | Kind::Db2 => {
            Box::new(odbc::OdbcSession::new(kind, credentials))
        }
    }
}
