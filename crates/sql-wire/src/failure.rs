//! What can go wrong, sorted into the classes that policy and reports distinguish.

use rustls::{AlertDescription, CertificateError, Error};
use std::fmt;
use std::io;

/// The kind of a failure, the same for every engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The connection broke, or the server spoke nonsense.
    Connection,
    /// The connection was refused, or the server has no free connection.
    Refused,
    /// No answer in time.
    Timeout,
    /// The server takes no writes.
    ReadOnly,
    /// The server is a replica and a writable one was wanted.
    NotPrimary,
    /// The server is up but not fit to serve (Galera outside the primary component, PostgreSQL starting).
    NotReady,
    Deadlock,
    /// Another transaction won: certification or serialisation failed.
    Conflict,
    LockTimeout,
    Constraint,
    /// The server is going down or ended our session.
    Shutdown,
    /// The connection lives, but the server no longer has what the session made there: prepared statements, and
    /// thus most likely its settings. Poolers and proxies do this when they change the server behind a connection.
    SessionLost,
    Authentication,
    UnknownDatabase,
    MissingTable,
    Other,
}

impl Class {
    pub const ALL: [Class; 16] = [
        Class::Connection,
        Class::Refused,
        Class::Timeout,
        Class::ReadOnly,
        Class::NotPrimary,
        Class::NotReady,
        Class::Deadlock,
        Class::Conflict,
        Class::LockTimeout,
        Class::Constraint,
        Class::Shutdown,
        Class::SessionLost,
        Class::Authentication,
        Class::UnknownDatabase,
        Class::MissingTable,
        Class::Other,
    ];

    pub fn named(name: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|class| class.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Class::Connection => "connection",
            Class::Refused => "refused",
            Class::Timeout => "timeout",
            Class::ReadOnly => "read_only",
            Class::NotPrimary => "not_primary",
            Class::NotReady => "not_ready",
            Class::Deadlock => "deadlock",
            Class::Conflict => "conflict",
            Class::LockTimeout => "lock_timeout",
            Class::Constraint => "constraint",
            Class::Shutdown => "shutdown",
            Class::SessionLost => "session_lost",
            Class::Authentication => "authentication",
            Class::UnknownDatabase => "unknown_database",
            Class::MissingTable => "missing_table",
            Class::Other => "other",
        }
    }

    /// The session is of no further use: look for a server again.
    pub fn ends_session(self) -> bool {
        matches!(
            self,
            Class::Connection
                | Class::Refused
                | Class::Timeout
                | Class::ReadOnly
                | Class::NotPrimary
                | Class::NotReady
                | Class::Shutdown
                | Class::SessionLost
                | Class::Authentication
                | Class::UnknownDatabase
        )
    }

    /// Whether the outcome of a running commit is unknown after this failure.
    pub fn leaves_doubt(self) -> bool {
        matches!(self, Class::Connection | Class::Timeout | Class::Shutdown)
    }

    /// Running into it again at once is to be expected, so pause before the next try.
    pub fn repeats(self) -> bool {
        matches!(self, Class::MissingTable | Class::Other)
    }

    /// A workload's transactions run into it by themselves, on a server in good health.
    pub fn is_of_workload(self) -> bool {
        matches!(
            self,
            Class::Deadlock | Class::Conflict | Class::LockTimeout | Class::Constraint
        )
    }

    /// Waiting does not help: the user must change something.
    pub fn permanent(self) -> bool {
        matches!(
            self,
            Class::Authentication | Class::UnknownDatabase | Class::MissingTable
        )
    }
}

/// Codes of what the client itself gave up; the last is the kernel's, on our behalf.
const OWN_BOUNDS: [&str; 8] = [
    "resolve", "connect", "log_in", "tls", "ask_role", "set_up", "reply", "os110",
];

/// One failure: its class, the engine's own code (MySQL errno, SQLSTATE or errno name), and the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub class: Class,
    pub code: String,
    pub message: String,
    /// MySQL's SQLSTATE, where the server gave one; PostgreSQL's is the code.
    pub state: Option<[u8; 5]>,
    /// The outcome of a commit under way is unknown although the server answered.
    pub doubt: bool,
    /// How many statements of the call were done before it.
    pub done: u16,
    /// It ended the statement and not the session, although other failures of its class end sessions.
    pub session_goes_on: bool,
}

impl Failure {
    pub fn new(class: Class, code: impl Into<String>, message: impl Into<String>) -> Failure {
        Failure {
            class,
            code: code.into(),
            message: message.into(),
            state: None,
            doubt: class.leaves_doubt(),
            done: 0,
            session_goes_on: false,
        }
    }

    /// The session is of no further use after it.
    pub fn ends_session(&self) -> bool {
        self.class.ends_session() && !self.session_goes_on
    }

    /// This failure as that of a server's own time limit: the statement was rolled back, also where it would have
    /// committed by itself.
    pub fn of_server_limit(self, session_goes_on: bool) -> Failure {
        Failure {
            doubt: false,
            session_goes_on,
            ..self
        }
    }

    /// A bound of the client ended it, not the server and not the end of the run.
    pub fn is_own_bound(&self) -> bool {
        self.class == Class::Timeout && OWN_BOUNDS.contains(&self.code.as_str())
    }

    /// The server broke the protocol.
    pub fn protocol(message: &str) -> Failure {
        Failure::new(
            Class::Connection,
            "protocol",
            format!("not understood: {message}"),
        )
    }

    /// The server asked for a way to log in that this program does not know.
    pub fn unsupported(message: impl Into<String>) -> Failure {
        Failure::new(Class::Authentication, "unsupported", message)
    }

    pub fn lost() -> Failure {
        Failure::new(
            Class::Connection,
            "closed",
            "the server closed the connection",
        )
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        let inner = error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<Error>());
        if let Some(tls) = inner {
            return Failure::from(tls);
        }
        let class = match error.kind() {
            io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => Class::Refused,
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Class::Timeout,
            _ => Class::Connection,
        };
        let code = error
            .raw_os_error()
            .map_or_else(|| "io".to_string(), |number| format!("os{number}"));
        let message = match class {
            Class::Timeout => "no answer in time".to_string(),
            _ => error.to_string(),
        };
        Failure::new(class, code, message)
    }
}

/// What a TLS error means for a connection.
impl From<&Error> for Failure {
    fn from(error: &Error) -> Failure {
        let denied =
            |code: &str, message: String| Failure::new(Class::Authentication, code, message);
        match error {
        Error::InvalidCertificate(reason) => denied("tls_certificate", untrusted(reason)),
        Error::AlertReceived(AlertDescription::CertificateRequired) => denied(
            "tls",
            "the server asks for a client's certificate: name it by sslcert and sslkey in the DSN"
                .to_string(),
        ),
        Error::AlertReceived(AlertDescription::DecryptError) => denied(
            "tls",
            "the server finds that the key (sslkey) does not belong to the certificate (sslcert)"
                .to_string(),
        ),
        Error::AlertReceived(
            AlertDescription::UnknownCA
            | AlertDescription::BadCertificate
            | AlertDescription::CertificateUnknown,
        ) => denied(
            "tls",
            format!(
                "the server does not accept the certificate that it was shown (sslcert): {error}"
            ),
        ),
        Error::AlertReceived(
            AlertDescription::HandshakeFailure | AlertDescription::ProtocolVersion,
        )
        | Error::PeerIncompatible(_) => denied(
            "tls",
            format!("no common TLS version (1.2 and 1.3 are spoken) or cipher: {error}"),
        ),
        Error::InvalidMessage(_) => Failure::new(
            Class::Connection,
            "tls",
            format!("what the server sends is not TLS: {error}"),
        ),
        _ => Failure::new(Class::Connection, "tls", format!("TLS: {error}")),
    }
    }
}

fn untrusted(reason: &CertificateError) -> String {
    match reason {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "the server's certificate is not signed by a trusted authority: name the authority's PEM \
             file by --tls-ca, or encrypt without checking by --tls require"
                .to_string()
        }
        CertificateError::NotValidForNameContext {
            expected,
            presented,
        } => match presented.as_slice() {
            [] => format!(
                "the server's certificate names no host (no subjectAltName), so it is not for '{}': use \
                 --tls verify-ca",
                expected.to_str()
            ),
            names => format!(
                "the server's certificate is for {}, not for '{}': connect to such a name, or use --tls \
                 verify-ca",
                names.join(", "),
                expected.to_str()
            ),
        },
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the server's certificate has expired".to_string()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the server's certificate is not valid yet: compare the clocks".to_string()
        }
        other => format!("the server's certificate is not acceptable: {other}"),
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(
            out,
            "{} ({}): {}",
            self.class.name(),
            self.code,
            self.message
        )
    }
}

impl std::error::Error for Failure {}
