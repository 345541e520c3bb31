//! Who logs in, and how a session begins.

use crate::endpoint::Endpoint;
use crate::options::SessionOptions;
use crate::tls::Tls;

/// Who connects, and to which database. The password never appears in Debug output or messages.
#[derive(Clone)]
pub struct Credentials {
    pub user: String,
    pub password: String,
    pub database: String,
    /// The transport cannot be listened to (a unix socket), so a plain password may cross it.
    pub private_transport: bool,
    /// The conversation is with a thread that makes ODBC's calls.
    pub by_odbc: bool,
    pub tls: Tls,
    pub options: SessionOptions,
}

impl Credentials {
    /// The same, as they apply to this endpoint: a unix socket is private and never encrypted.
    pub fn at(&self, endpoint: &Endpoint) -> Credentials {
        let mut credentials = self.clone();
        credentials.by_odbc = endpoint.is_odbc();
        if matches!(endpoint, Endpoint::Unix(_)) {
            credentials.private_transport = true;
            credentials.tls = Tls::off();
        }
        credentials
    }
}
