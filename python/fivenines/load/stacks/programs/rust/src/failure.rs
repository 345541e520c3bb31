//! Errors of the drivers and pools, as codes and messages.

use std::error::Error;
use std::fmt::Debug;
use std::io;

use deadpool_postgres::{PoolError, TimeoutType};
use sqlx::mysql::MySqlDatabaseError;
use tokio::time::error::Elapsed;

use crate::lines::one_line;

// Beginnings of codes with which a server ends a session: what became of its COMMIT is not said. PostgreSQL's 57P01
// may even follow a commit whose standby has not answered yet. 40003: completion unknown; MySQL's 1053: shutdown,
// 1317: interrupted.
const SESSION_ENDED: [&str; 5] = ["08", "57P", "40003", "1053", "1317"];

/// Why a transaction was not committed.
pub struct Failure {
    /// SQLSTATE, number of the server's error, or name of an error of the driver or the pool.
    pub code: String,
    /// Whether it is the server's answer to the statement, and not the session's end.
    pub answered: bool,
    pub message: String,
}

impl Failure {
    /// Returns an error of the server.
    fn of_server(code: &str, error: &dyn Error) -> Failure {
        let answered = !SESSION_ENDED
            .iter()
            .any(|beginning| code.starts_with(beginning));
        Failure {
            code: code.to_owned(),
            answered,
            message: brief(error),
        }
    }

    /// Returns an error of the driver or the pool.
    fn of_client(name: &str, error: &dyn Error) -> Failure {
        Failure {
            code: name.to_owned(),
            answered: false,
            message: brief(error),
        }
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Failure {
        if let Some(answer) = error.as_db_error() {
            return Failure::of_server(answer.code().code(), &error);
        }
        let kind = error
            .source()
            .and_then(|cause| cause.downcast_ref::<io::Error>());
        match kind {
            Some(cause) => Failure::of_client(&name_of(&cause.kind()), &error),
            None if error.is_closed() => Failure::of_client("Closed", &error),
            None => Failure::of_client("Error", &error),
        }
    }
}

impl From<PoolError> for Failure {
    fn from(error: PoolError) -> Failure {
        match error {
            PoolError::Backend(cause) => cause.into(),
            PoolError::Timeout(TimeoutType::Wait) => Failure::of_client("TimeoutWait", &error),
            PoolError::Timeout(TimeoutType::Create) => Failure::of_client("TimeoutCreate", &error),
            PoolError::Timeout(TimeoutType::Recycle) => {
                Failure::of_client("TimeoutRecycle", &error)
            }
            _ => Failure::of_client(&name_of(&error), &error),
        }
    }
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Failure {
        match &error {
            sqlx::Error::Database(answer) => {
                let number = answer
                    .try_downcast_ref::<MySqlDatabaseError>()
                    .map(|own| own.number().to_string());
                let code = number
                    .or_else(|| answer.code().map(Into::into))
                    .unwrap_or_default();
                Failure::of_server(&code, &error)
            }
            sqlx::Error::Io(cause) => Failure::of_client(&name_of(&cause.kind()), &error),
            _ => Failure::of_client(&name_of(&error), &error),
        }
    }
}

impl From<Elapsed> for Failure {
    fn from(error: Elapsed) -> Failure {
        Failure::of_client("Elapsed", &error)
    }
}

/// Returns the name of a variant, by which errors of the same kind can be counted.
fn name_of(variant: &impl Debug) -> String {
    format!("{variant:?}")
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect()
}

/// Returns the beginning of an error's message, with those of its causes.
pub fn brief(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        // Some messages have that of the cause already.
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        cause = inner.source();
    }
    one_line(&message).chars().take(200).collect()
}
