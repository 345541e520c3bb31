//! What poolers say under SQLSTATEs that tell little, in lower case.
//!
//! PgBouncer has 08P01 for nearly everything, PgCat and PgDog 58000, Supavisor and Pgpool-II XX000, Odyssey 08006. The
//! words are those of the sources: PgBouncer 1.18 to 1.25 (`src/client.c`, `janitor.c`, `objects.c`, `prepare.c`),
//! Pgpool-II 4.3 to 4.7 (`src/protocol`), Odyssey 1.3 to 1.5 (`sources/frontend.c`), PgCat 1.3 (`src/client.rs`), Supavisor
//! 2 (`lib/supavisor/errors`), PgDog 0.1 (`pgdog/src/backend/pool/error.rs`).

use crate::failure::Class;

/// The first that a message contains counts.
const WORDS: &[(&str, Class)] = &[
    // Nothing of the statement has reached a server.
    ("query_wait_timeout", Class::Refused),
    ("cannot connect to server", Class::Refused),
    ("connect failed", Class::Refused),
    (
        "login has been failing, cached error: no such database",
        Class::UnknownDatabase,
    ),
    ("login has been failing", Class::Refused),
    ("client_login_timeout", Class::Refused),
    ("no more connections allowed", Class::Refused),
    ("client connections exceeded", Class::Refused),
    ("is disabled", Class::Refused),
    ("unsupported startup parameter", Class::Refused),
    ("backend nodes are down", Class::Refused),
    ("failed to create a backend", Class::Refused),
    ("failed to get remote server connection", Class::Refused),
    ("failed to connect to remote server", Class::Refused),
    ("failed to connect to database", Class::Refused),
    ("client routing failed", Class::Refused),
    ("soft out of memory", Class::Refused),
    ("could not get connection from the pool", Class::Refused),
    ("pool down for database", Class::Refused),
    ("checkout failure limit reached", Class::Refused),
    ("max clients reached", Class::Refused),
    ("max client connections reached", Class::Refused),
    ("max pools count reached", Class::Refused),
    ("unable to check out", Class::Refused),
    ("failed to check out", Class::Refused),
    ("pool checkout failed", Class::Refused),
    ("temporarily blocked", Class::Refused),
    ("checkout timeout", Class::Refused),
    ("connection pool for user", Class::Refused),
    ("pool is banned", Class::Refused),
    ("pool is shut down", Class::Refused),
    ("pool is not healthy", Class::Refused),
    // Servers are up, and none of them takes writes yet.
    ("not accepting any new connections", Class::NotReady),
    ("failover or failback is in progress", Class::NotReady),
    ("can't find suitable host", Class::NotReady),
    ("replication lag", Class::NotReady),
    ("no primary", Class::NotReady),
    // The user must change something.
    ("no such database", Class::UnknownDatabase),
    ("no pool configured for database", Class::UnknownDatabase),
    ("no such user", Class::Authentication),
    ("authentication failed", Class::Authentication),
    ("authentication error", Class::Authentication),
    ("auth failed", Class::Authentication),
    ("login rejected", Class::Authentication),
    ("ssl required", Class::Authentication),
    ("ssl connection is required", Class::Authentication),
    ("only tls connections are allowed", Class::Authentication),
    ("tenant or user not found", Class::Authentication),
    ("no tenant identifier", Class::Authentication),
    ("tenant is banned", Class::Authentication),
    ("not in tenant allow_list", Class::Authentication),
    ("user not found in the database", Class::Authentication),
    ("login failed", Class::Refused),
    // The session is over, and what it was doing may have been done.
    ("shutting down", Class::Shutdown),
    ("due to administrator command", Class::Shutdown),
    ("admin forced disconnect", Class::Shutdown),
    ("has dropped the connection", Class::Shutdown),
    ("due to online recovery", Class::Shutdown),
    ("query_timeout", Class::Timeout),
    ("query timeout", Class::Timeout),
    ("statement timeout", Class::Timeout),
    ("transaction_timeout", Class::Timeout),
    ("transaction timeout", Class::Timeout),
];

/// Prepared statements that the pooler, or the server behind it, does not have or has already.
const STATEMENTS: [&str; 4] = [
    "does not exist",
    "did not exist",
    "already exists",
    "already in use",
];

/// The class that a pooler's words tell.
pub fn class(message: &str) -> Option<Class> {
    let message = message.to_lowercase();
    let has = |words: &str| message.contains(words);
    if has("tenant/user ") && has(" not found") {
        return Some(Class::Authentication);
    }
    if message.contains("prepared statement") && STATEMENTS.into_iter().any(has) {
        return Some(Class::SessionLost);
    }
    let reported = WORDS.iter().find(|(words, _)| message.contains(words));
    reported.map(|(_, class)| *class)
}

/// Whether poolers use the SQLSTATE for errors that only their words distinguish.
pub fn use_it(code: &str) -> bool {
    code.starts_with("08") || matches!(code, "58000" | "XX000" | "53200" | "57000")
}
