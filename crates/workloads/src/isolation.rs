//! The isolation level of a workload's sessions.

use serde::Deserialize;
use sql_wire::Kind;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// The server's own default.
    Server,
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

impl Isolation {
    /// Statements for a new session.
    pub fn setup(self, kind: Kind) -> Vec<String> {
        let level = match self {
            Isolation::Server => return Vec::new(),
            Isolation::ReadCommitted => "READ COMMITTED",
            Isolation::RepeatableRead => "REPEATABLE READ",
            Isolation::Serializable => "SERIALIZABLE",
        };
        let session = match kind {
            Kind::Postgres => "SET SESSION CHARACTERISTICS AS TRANSACTION",
            _ => "SET SESSION TRANSACTION",
        };
        vec![format!("{session} ISOLATION LEVEL {level}")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_told_in_the_servers_own_words() {
        let setup = |kind| Isolation::Serializable.setup(kind).remove(0);
        assert_eq!(
            setup(Kind::Mysql),
            "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE"
        );
        assert!(setup(Kind::Postgres).starts_with("SET SESSION CHARACTERISTICS AS"));
        assert!(Isolation::Server.setup(Kind::Mysql).is_empty());
    }
}
