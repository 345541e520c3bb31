//! What a workload may know of its run before it begins.

use sql_wire::Credentials;
use sql_wire::endpoint::Endpoint;
use workloads::Account;

/// Who logs in at this server.
pub fn account(endpoint: Option<&Endpoint>, credentials: &Credentials) -> Account {
    let (host, port, socket) = match endpoint {
        Some(Endpoint::Tcp { host, port }) => (host.clone(), *port, None),
        Some(Endpoint::Unix(path)) => {
            let path = path.display().to_string();
            ("localhost".to_string(), 0, Some(path))
        }
        Some(Endpoint::Odbc(_)) | None => (String::new(), 0, None),
    };
    Account {
        host,
        port,
        socket,
        user: credentials.user.clone(),
        password: credentials.password.clone(),
        database: credentials.database.clone(),
    }
}
