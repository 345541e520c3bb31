//! How sessions of the run begin.

use sql_wire::endpoint::Endpoint;
use sql_wire::{Credentials, Kind, Session};

pub struct Sessions {
    pub kind: Kind,
    pub credentials: Credentials,
    /// Statements have no names.
    pub unnamed: bool,
    /// What new sessions are sent so that each statement commits, where the servers require it.
    pub commit_each: Option<&'static str>,
}

impl Sessions {
    /// A session that has not spoken yet, for this endpoint.
    pub fn at(&self, endpoint: &Endpoint) -> Box<dyn Session> {
        let mut session = sql_wire::session(self.kind, &self.credentials.at(endpoint));
        if self.unnamed {
            session.without_names();
        }
        session
    }
}
