//! The thread of one connection: takes requests from its socket, makes ODBC's calls, answers.

use crate::calls::{self, Diagnostic, Handle};
use crate::cancel::Call;
use crate::frame::{self, Frame, Keep, Request, Transaction};
use crate::statement::{self, Habits, Prepared};
use crate::string;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

const BUFFER: usize = 16 * 1024;

/// SQL_CB_DELETE
const CB_DELETE: u16 = 0;

/// Serves the socket until its other end is closed or sends the final frame.
pub fn serve(mut socket: UnixStream, connection: &str, login: Duration) {
    let call = Call::new(&socket);
    let mut session = Session::new(call, connection, login);
    let (mut input, mut out, mut buffer) = (Vec::new(), Vec::new(), [0; BUFFER]);
    loop {
        let mut used = 0;
        while let Ok(Some((request, length))) = frame::request(&input[used..]) {
            used += length;
            if !session.handle(request, &mut out) {
                return;
            }
            if !out.is_empty() && socket.write_all(&out).is_err() {
                return;
            }
            out.clear();
        }
        input.drain(..used);
        match socket.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(count) => input.extend_from_slice(&buffer[..count]),
        }
    }
}

/// A connection and its environment; dropped in this order.
struct Link {
    connection: Handle,
    _environment: Handle,
    /// Autocommit is off: a transaction may be open.
    manual: bool,
    /// The end of a transaction ends what was prepared, too (SQL_CB_DELETE).
    forgets: bool,
    /// What became of its transaction, or of autocommit, is not known: nothing more may be asked of it.
    broken: bool,
}

impl Link {
    fn new(connection: Handle, environment: Handle) -> Link {
        Link {
            connection,
            _environment: environment,
            manual: false,
            forgets: false,
            broken: false,
        }
    }

    fn begin(&mut self) -> Result<(), Diagnostic> {
        let begun = self.connection.set_attribute(calls::ATTR_AUTOCOMMIT, 0);
        self.manual = true;
        self.broken = begun.is_err();
        begun
    }

    /// Ends the transaction. After a failed COMMIT it is rolled back, as with other protocols.
    fn end(&mut self, how: i16) -> Result<(), Diagnostic> {
        let ended = self.connection.end_transaction(how);
        let closed = match ended {
            Err(_) if how == calls::COMMIT => self.connection.end_transaction(calls::ROLLBACK),
            _ => ended.clone(),
        };
        // by ODBC turning autocommit on commits what is open: never before it is ended
        let alone = closed.and_then(|()| self.connection.set_attribute(calls::ATTR_AUTOCOMMIT, 1));
        self.manual = alone.is_err();
        self.broken = alone.is_err();
        ended
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if self.manual {
            // by ODBC a driver refuses to disconnect within a transaction (25000), and the session would keep its locks;
            // unixODBC leaves that to the driver, and MariaDB's disconnects
            let _ = self.connection.end_transaction(calls::ROLLBACK);
        }
        self.connection.disconnect();
    }
}

/// Statements go before their connection.
struct Session {
    statements: HashMap<u32, Prepared>,
    /// What they are made of, whether or not they were executed yet.
    texts: HashMap<u32, (String, Vec<frame::Type>)>,
    /// For texts.
    direct: Option<Handle>,
    link: Option<Link>,
    call: Arc<Call>,
    connection: String,
    login: Duration,
    habits: Habits,
}

impl Session {
    fn new(call: Arc<Call>, connection: &str, login: Duration) -> Session {
        Session {
            call,
            connection: connection.to_string(),
            login,
            statements: HashMap::new(),
            texts: HashMap::new(),
            direct: None,
            link: None,
            habits: Habits::default(),
        }
    }

    /// False when the conversation is over.
    fn handle(&mut self, request: Request, out: &mut Vec<u8>) -> bool {
        let done = match request {
            Request::Open { password, options } => self.open(password, options, out),
            Request::Prepare { id, sql, types } => {
                self.texts.insert(id, (sql.to_string(), types));
                return true;
            }
            Request::Execute {
                id,
                keep_rows,
                values,
            } => self.execute(id, keep_rows, values, out),
            Request::Query { sql, keep } => self.query(sql, keep, out),
            Request::Transaction(what) => self.transaction(what, out),
            Request::Quit => return false,
        };
        if let Err(diagnostic) = done {
            out.clear();
            let dead = self.is_dead(&diagnostic);
            Frame::failed(
                &diagnostic.state,
                diagnostic.native,
                dead,
                &diagnostic.message,
                out,
            );
        }
        true
    }

    /// Asks the driver where its words leave that open: it may ask the server in turn.
    fn is_dead(&self, diagnostic: &Diagnostic) -> bool {
        let open = diagnostic.state == "HY000" || diagnostic.state.starts_with("08");
        let link = self.link.as_ref();
        open && link.is_some_and(|link| link.connection.is_dead())
    }

    fn open(&mut self, password: &str, options: &str, out: &mut Vec<u8>) -> Result<(), Diagnostic> {
        let environment = Handle::environment()?;
        let connection = environment.child()?;
        // beyond the other end's own bound, which is to be the one that is met
        let seconds = self.login.as_secs_f64().ceil() as usize + 1;
        // not every driver has it
        let _ = connection.set_attribute(calls::ATTR_LOGIN_TIMEOUT, seconds);
        let options = options.replace("{login}", &seconds.to_string());
        let text = string::with_password(&self.connection, password);
        connection.connect(&string::with_options(&text, &options))?;
        let link = self.link.insert(Link::new(connection, environment));
        let name = link.connection.info(calls::INFO_DBMS_NAME)?;
        let version = link.connection.info(calls::INFO_DBMS_VERSION)?;
        link.forgets = [calls::INFO_COMMIT_BEHAVIOR, calls::INFO_ROLLBACK_BEHAVIOR]
            .iter()
            .any(|what| link.connection.info_number(*what) == Some(CB_DELETE));
        self.habits.big_int_as_text = name.eq_ignore_ascii_case("oracle");
        Frame::connected(&name, &version, out);
        Ok(())
    }

    /// The connection, if anything may be asked of it.
    #[inline]
    fn usable(link: &mut Option<Link>) -> Result<&mut Link, Diagnostic> {
        match link {
            None => Err(Diagnostic::own("not connected")),
            Some(link) if link.broken => Err(Diagnostic {
                state: "08S01".to_string(),
                ..Diagnostic::own("what became of this connection's last transaction is not known")
            }),
            Some(link) => Ok(link),
        }
    }

    #[inline]
    fn execute(
        &mut self,
        id: u32,
        keep_rows: bool,
        values: frame::Values,
        out: &mut Vec<u8>,
    ) -> Result<(), Diagnostic> {
        let link = Self::usable(&mut self.link)?;
        let prepared = match self.statements.entry(id) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(place) => {
                let Some((sql, types)) = self.texts.get(&id) else {
                    return Err(Diagnostic::own("an unknown statement"));
                };
                let connection = &link.connection;
                place.insert(Prepared::new(
                    connection,
                    &self.call,
                    sql,
                    types,
                    self.habits,
                )?)
            }
        };
        prepared.fill(values)?;
        prepared.execute(&self.call, keep_rows, out)
    }

    fn query(&mut self, sql: &str, keep: Keep, out: &mut Vec<u8>) -> Result<(), Diagnostic> {
        let link = Self::usable(&mut self.link)?;
        if self.direct.is_none() {
            self.direct = Some(link.connection.child()?);
        }
        let Some(handle) = &self.direct else {
            return Ok(());
        };
        statement::direct(handle, &self.call, sql, keep, out)
    }

    fn transaction(&mut self, what: Transaction, out: &mut Vec<u8>) -> Result<(), Diagnostic> {
        let link = Self::usable(&mut self.link)?;
        let done = match what {
            Transaction::Begin => link.begin(),
            Transaction::Commit => link.end(calls::COMMIT),
            Transaction::Rollback => link.end(calls::ROLLBACK),
        };
        if what != Transaction::Begin && link.forgets {
            self.statements.clear();
        }
        done?;
        Frame::done(0, out);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
