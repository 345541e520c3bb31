//! The functions of the driver manager: opened at run time, and behind safe handles. All that is unsafe about ODBC
//! is in this file.
//!
//! Each connection has a separate environment, so that each thread owns all that it uses: one that never returns
//! holds no handle that others need. That does not help where odbcinst.ini says `Threading = 3` of a driver: then
//! the driver manager lets one call at a time into it from the whole process, whatever the environment (unixODBC,
//! DriverManager/__handles.c); without it, it does not serialise (SQLConnect.c; so in Debian's 2.3.11).
//!
//! Source: Microsoft, ODBC Programmer's Reference; the numbers are those of unixODBC's sql.h and sqlext.h.

use std::ffi::{CStr, CString, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;

type Raw = *mut c_void;
type Return = i16;

/// Kinds of handles; that of statements is the next.
const HANDLE_ENV: i16 = 1;
const HANDLE_DBC: i16 = 2;

const SUCCESS: Return = 0;
const SUCCESS_WITH_INFO: Return = 1;
const NO_DATA: Return = 100;
const NULL_DATA: isize = -1;
const NO_TOTAL: isize = -4;
/// In place of a text's length: it ends with a zero byte.
const NTS: i16 = -3;
const PARAM_INPUT: i16 = 1;

const ATTR_ODBC_VERSION: i32 = 200;
const OV_ODBC3: usize = 3;
pub const ATTR_AUTOCOMMIT: i32 = 102;
pub const ATTR_LOGIN_TIMEOUT: i32 = 103;
const ATTR_CONNECTION_DEAD: i32 = 1209;

pub const INFO_DBMS_NAME: u16 = 17;
pub const INFO_DBMS_VERSION: u16 = 18;
/// SQL_CURSOR_COMMIT_BEHAVIOR and SQL_CURSOR_ROLLBACK_BEHAVIOR
pub const INFO_COMMIT_BEHAVIOR: u16 = 23;
pub const INFO_ROLLBACK_BEHAVIOR: u16 = 24;

pub const COMMIT: i16 = 0;
pub const ROLLBACK: i16 = 1;

/// Close the cursor of a statement, which stays prepared and bound.
const CLOSE: u16 = 0;
/// Forget where the columns of a statement were bound.
const UNBIND: u16 = 2;

const LIBRARY: &CStr = c"libodbc.so.2";
const MESSAGE: usize = 1024;
/// For long columns, piece by piece.
const PIECE: usize = 8 * 1024;

/// The type of a value in memory, and the type that the server gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Int,
    BigInt,
    Double,
    Text,
    /// A number that is handed over as text.
    TextOfNumber,
}

impl Shape {
    /// SQL_C_SLONG, SQL_C_SBIGINT, SQL_C_DOUBLE, SQL_C_CHAR.
    fn c_type(self) -> i16 {
        match self {
            Shape::Int => -16,
            Shape::BigInt => -25,
            Shape::Double => 8,
            Shape::Text | Shape::TextOfNumber => 1,
        }
    }

    /// SQL_INTEGER, SQL_BIGINT, SQL_DOUBLE, SQL_VARCHAR, SQL_DECIMAL.
    fn sql_type(self) -> i16 {
        match self {
            Shape::Int => 4,
            Shape::BigInt => -5,
            Shape::Double => 8,
            Shape::Text => 12,
            Shape::TextOfNumber => 3,
        }
    }
}

/// A column of a result.
pub struct Column {
    pub name: String,
    pub sql_type: i16,
    /// The greatest length of a value, in characters or digits.
    pub size: usize,
}

/// What a driver says about a call that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub state: String,
    pub native: i32,
    pub message: String,
}

macro_rules! functions {
    ($($name:ident($($argument:ty),*);)*) => {
        /// The functions that are called, as the library has them.
        #[allow(non_snake_case)]
        struct Functions { $($name: unsafe extern "C" fn($($argument),*) -> Return,)* }

        impl Functions {
            /// # Safety
            /// The library is that of ODBC's driver manager: its functions are of these types.
            unsafe fn of(library: *mut c_void) -> Result<Functions, String> {
                Ok(Functions { $($name: {
                    let name = concat!(stringify!($name), "\0");
                    // SAFETY: the name ends with a zero byte, and the library is never closed.
                    let found = unsafe { libc::dlsym(library, name.as_ptr().cast()) };
                    if found.is_null() {
                        return Err(format!("{} has no {}", LIBRARY.to_string_lossy(), stringify!($name)));
                    }
                    // SAFETY: by this function's own condition.
                    unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) -> Return>(found) }
                },)* })
            }

            /// Functions that do nothing and tell of it.
            #[cfg(test)]
            fn stand_in() -> Functions {
                Functions { $($name: {
                    unsafe extern "C" fn function($(_: $argument),*) -> Return {
                        stand_in::called(stringify!($name))
                    }
                    function
                },)* }
            }
        }
    };
}

functions! {
    SQLAllocHandle(i16, Raw, *mut Raw);
    SQLFreeHandle(i16, Raw);
    SQLSetEnvAttr(Raw, i32, *mut c_void, i32);
    SQLSetConnectAttr(Raw, i32, *mut c_void, i32);
    SQLGetConnectAttr(Raw, i32, *mut c_void, i32, *mut i32);
    SQLDriverConnect(Raw, *mut c_void, *const u8, i16, *mut u8, i16, *mut i16, u16);
    SQLDisconnect(Raw);
    SQLGetInfo(Raw, u16, *mut c_void, i16, *mut i16);
    SQLEndTran(i16, Raw, i16);
    SQLGetDiagRec(i16, Raw, i16, *mut u8, *mut i32, *mut u8, i16, *mut i16);
    SQLPrepare(Raw, *const u8, i32);
    SQLExecute(Raw);
    SQLExecDirect(Raw, *const u8, i32);
    SQLBindParameter(Raw, u16, i16, i16, i16, usize, i16, *mut c_void, isize, *mut isize);
    SQLNumResultCols(Raw, *mut i16);
    SQLDescribeCol(Raw, u16, *mut u8, i16, *mut i16, *mut i16, *mut usize, *mut i16, *mut i16);
    SQLBindCol(Raw, u16, i16, *mut c_void, isize, *mut isize);
    SQLFetch(Raw);
    SQLGetData(Raw, u16, i16, *mut c_void, isize, *mut isize);
    SQLRowCount(Raw, *mut isize);
    SQLMoreResults(Raw);
    SQLFreeStmt(Raw, u16);
    SQLCancel(Raw);
}

/// The driver manager, opened once.
fn functions() -> Result<&'static Functions, String> {
    static OPENED: OnceLock<Result<Functions, String>> = OnceLock::new();
    OPENED
        .get_or_init(open_library)
        .as_ref()
        .map_err(String::clone)
}

fn open_library() -> Result<Functions, String> {
    // The driver manager turns texts into those of Unicode drivers by the program's locale.
    // SAFETY: constant texts; this program formats nothing by its locale.
    unsafe { libc::setlocale(libc::LC_CTYPE, c"C.UTF-8".as_ptr()) };
    // SAFETY: the name is a C string; what the library does when it is opened is its own affair.
    let library = unsafe { libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        let name = LIBRARY.to_string_lossy();
        return Err(format!(
            "ODBC needs {name}, which cannot be opened here: install unixODBC (apt-get install unixodbc) and a driver \
             (odbc-postgresql, odbc-mariadb, or that of the vendor)"
        ));
    }
    // SAFETY: it is the driver manager by its name.
    unsafe { Functions::of(library) }
}

#[cfg(test)]
pub mod stand_in;

/// An environment, a connection or a statement; freed when it is dropped.
pub struct Handle {
    functions: &'static Functions,
    kind: i16,
    raw: Raw,
}

// SAFETY: ODBC's handles may be used by any thread; only SQLCancel is called while another call is under way, as
// ODBC allows.
unsafe impl Send for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the handle is of this kind and is not used again.
        unsafe { (self.functions.SQLFreeHandle)(self.kind, self.raw) };
    }
}

impl Handle {
    /// An environment that speaks ODBC 3.
    pub fn environment() -> Result<Handle, Diagnostic> {
        let functions = functions().map_err(|message| Diagnostic {
            state: "IM003".to_string(),
            native: 0,
            message,
        })?;
        let environment = Handle::allocate(functions, HANDLE_ENV, null_mut())
            .ok_or_else(|| Diagnostic::own("no ODBC environment can be made"))?;
        // SAFETY: this attribute's value is a number in place of the pointer.
        let result = unsafe {
            let value = OV_ODBC3 as *mut c_void;
            (functions.SQLSetEnvAttr)(environment.raw, ATTR_ODBC_VERSION, value, 0)
        };
        environment.check(result)?;
        Ok(environment)
    }

    fn allocate(functions: &'static Functions, kind: i16, parent: Raw) -> Option<Handle> {
        let mut raw = null_mut();
        // SAFETY: the parent is a handle of the kind above this one, `raw` outlives the call.
        let result = unsafe { (functions.SQLAllocHandle)(kind, parent, &mut raw) };
        matches!(result, SUCCESS | SUCCESS_WITH_INFO).then_some(Handle {
            functions,
            kind,
            raw,
        })
    }

    /// A handle below this one: a connection of an environment, a statement of a connection.
    pub fn child(&self) -> Result<Handle, Diagnostic> {
        Handle::allocate(self.functions, self.kind + 1, self.raw).ok_or_else(|| self.diagnostic())
    }

    /// True, or false where a call says that there is no data.
    fn check(&self, result: Return) -> Result<bool, Diagnostic> {
        match result {
            SUCCESS | SUCCESS_WITH_INFO => Ok(true),
            NO_DATA => Ok(false),
            _ => Err(self.diagnostic()),
        }
    }

    fn diagnostic(&self) -> Diagnostic {
        let (mut state, mut native, mut message) = ([0; 6], 0, [0; MESSAGE]);
        let mut length = 0;
        // SAFETY: the buffers have the given lengths (the state's by definition) and outlive the call.
        let result = unsafe {
            (self.functions.SQLGetDiagRec)(
                self.kind,
                self.raw,
                1,
                state.as_mut_ptr(),
                &mut native,
                message.as_mut_ptr(),
                MESSAGE as i16,
                &mut length,
            )
        };
        if !matches!(result, SUCCESS | SUCCESS_WITH_INFO) {
            return Diagnostic::own("the driver gave no reason");
        }
        Diagnostic {
            state: text(&state),
            native,
            message: text(&message),
        }
    }

    /// Sets an attribute of a connection that is a number.
    pub fn set_attribute(&self, attribute: i32, value: usize) -> Result<(), Diagnostic> {
        // SAFETY: the value of these attributes is a number in place of the pointer.
        let result = unsafe {
            (self.functions.SQLSetConnectAttr)(self.raw, attribute, value as *mut c_void, 0)
        };
        self.check(result).map(drop)
    }

    /// Whether the driver knows that this connection is of no further use.
    pub fn is_dead(&self) -> bool {
        let mut dead: usize = 0;
        // SAFETY: the attribute is a number of four bytes; there is room for eight, should a driver write these.
        let result = unsafe {
            let value = (&raw mut dead).cast();
            (self.functions.SQLGetConnectAttr)(self.raw, ATTR_CONNECTION_DEAD, value, 4, null_mut())
        };
        matches!(result, SUCCESS | SUCCESS_WITH_INFO) && dead as u32 == 1
    }

    /// Connects and logs in.
    pub fn connect(&self, connection: &str) -> Result<(), Diagnostic> {
        // With a zero byte at its end and no length: given one, log-ins by MariaDB's driver (3.1.15) were refused now and
        // then where the password came last and without braces, as if it read on beyond the end.
        let text = CString::new(connection).map_err(|_| {
            Diagnostic::own("the connection string or the password has a zero byte")
        })?;
        // SAFETY: the text ends with a zero byte; without a buffer for the completed string none is written.
        let result = unsafe {
            let (out, size) = (null_mut(), null_mut());
            let text = text.as_ptr().cast();
            (self.functions.SQLDriverConnect)(self.raw, null_mut(), text, NTS, out, 0, size, 0)
        };
        self.check(result).map(drop)
    }

    pub fn disconnect(&self) {
        // SAFETY: the handle is a connection's; one that is not connected answers with an error.
        unsafe { (self.functions.SQLDisconnect)(self.raw) };
    }

    /// A text that the driver tells of the connection.
    pub fn info(&self, what: u16) -> Result<String, Diagnostic> {
        let mut buffer = [0; 256];
        // SAFETY: the buffer has the given length.
        let result = unsafe {
            let (value, length) = (buffer.as_mut_ptr().cast(), null_mut());
            (self.functions.SQLGetInfo)(self.raw, what, value, buffer.len() as i16, length)
        };
        self.check(result)?;
        Ok(text(&buffer))
    }

    /// The same where it is a number of two bytes; None: the driver does not tell.
    pub fn info_number(&self, what: u16) -> Option<u16> {
        let mut number = 0_u16;
        // SAFETY: the number has two bytes and outlives the call.
        let result = unsafe {
            let value = (&raw mut number).cast();
            (self.functions.SQLGetInfo)(self.raw, what, value, 2, null_mut())
        };
        matches!(result, SUCCESS | SUCCESS_WITH_INFO).then_some(number)
    }

    /// Ends the transaction of a connection.
    pub fn end_transaction(&self, how: i16) -> Result<(), Diagnostic> {
        // SAFETY: the handle is a connection's.
        let result = unsafe { (self.functions.SQLEndTran)(HANDLE_DBC, self.raw, how) };
        self.check(result).map(drop)
    }

    pub fn prepare(&self, sql: &str) -> Result<(), Diagnostic> {
        // SAFETY: the text has the given length.
        let result =
            unsafe { (self.functions.SQLPrepare)(self.raw, sql.as_ptr(), sql.len() as i32) };
        self.check(result).map(drop)
    }

    #[inline]
    pub fn execute(&self) -> Result<(), Diagnostic> {
        // SAFETY: what is bound is kept by `Bound`, which outlives the statement's use.
        let result = unsafe { (self.functions.SQLExecute)(self.raw) };
        self.check(result).map(drop)
    }

    pub fn execute_direct(&self, sql: &str) -> Result<(), Diagnostic> {
        // SAFETY: the text has the given length.
        let result =
            unsafe { (self.functions.SQLExecDirect)(self.raw, sql.as_ptr(), sql.len() as i32) };
        self.check(result).map(drop)
    }

    /// How many columns the result has; 0: it is none.
    pub fn columns(&self) -> Result<u16, Diagnostic> {
        let mut count = 0;
        // SAFETY: the number outlives the call.
        let result = unsafe { (self.functions.SQLNumResultCols)(self.raw, &mut count) };
        self.check(result)?;
        Ok(count.max(0) as u16)
    }

    /// A column of the result, numbered from 1.
    pub fn describe(&self, column: u16) -> Result<Column, Diagnostic> {
        let (mut of, mut size) = (0, 0);
        let (mut length, mut digits, mut nullable) = (0, 0, 0);
        let mut name = [0; 256];
        // SAFETY: all that is written to outlives the call.
        let result = unsafe {
            (self.functions.SQLDescribeCol)(
                self.raw,
                column,
                name.as_mut_ptr(),
                name.len() as i16,
                &mut length,
                &mut of,
                &mut size,
                &mut digits,
                &mut nullable,
            )
        };
        self.check(result)?;
        Ok(Column {
            name: text(&name),
            sql_type: of,
            size,
        })
    }

    /// Goes to the next row; false when there is none.
    #[inline]
    pub fn fetch(&self) -> Result<bool, Diagnostic> {
        // SAFETY: columns are bound to what `Bound` keeps.
        let result = unsafe { (self.functions.SQLFetch)(self.raw) };
        self.check(result)
    }

    /// Reads a column of the current row that is not bound, as text, behind what `out` has; false: it is NULL.
    pub fn read(&self, column: u16, out: &mut Vec<u8>) -> Result<bool, Diagnostic> {
        loop {
            let (start, mut length) = (out.len(), 0isize);
            out.resize(start + PIECE, 0);
            // SAFETY: the buffer has the given number of bytes after `start`.
            let result = unsafe {
                let room = out.as_mut_ptr().add(start).cast();
                let text = Shape::Text.c_type();
                (self.functions.SQLGetData)(
                    self.raw,
                    column,
                    text,
                    room,
                    PIECE as isize,
                    &mut length,
                )
            };
            let length = signed(length);
            if !self.check(result)? || length == NULL_DATA {
                out.truncate(start);
                return Ok(length != NULL_DATA);
            }
            if length == NO_TOTAL || length >= PIECE as isize {
                // the last byte of a piece is a zero
                out.truncate(start + PIECE - 1);
                continue;
            }
            out.truncate(start + length.max(0) as usize);
            return Ok(true);
        }
    }

    /// Rows that the last statement changed.
    #[inline]
    pub fn affected(&self) -> u64 {
        let mut count = 0;
        // SAFETY: the number outlives the call.
        let result = unsafe { (self.functions.SQLRowCount)(self.raw, &mut count) };
        match result {
            SUCCESS | SUCCESS_WITH_INFO => signed(count).max(0) as u64,
            _ => 0,
        }
    }

    /// Goes to the next result of a text of several statements; false when there is none.
    pub fn next_result(&self) -> Result<bool, Diagnostic> {
        // SAFETY: columns are bound to what `Bound` keeps.
        let result = unsafe { (self.functions.SQLMoreResults)(self.raw) };
        self.check(result)
    }

    #[inline]
    pub fn close_cursor(&self) {
        // SAFETY: the handle is a statement's.
        unsafe { (self.functions.SQLFreeStmt)(self.raw, CLOSE) };
    }

    /// Unbinds all columns, as their buffers can be invalid.
    pub fn unbind_columns(&self) {
        // SAFETY: the handle is a statement's.
        unsafe { (self.functions.SQLFreeStmt)(self.raw, UNBIND) };
    }

    /// What another thread needs to cancel this statement.
    pub fn canceller(&self) -> Canceller {
        Canceller {
            functions: self.functions,
            raw: self.raw,
        }
    }
}

/// Cancels a statement from another thread. Its owner keeps the statement for as long as this may be used.
pub struct Canceller {
    functions: &'static Functions,
    raw: Raw,
}

// SAFETY: ODBC lets any thread call SQLCancel while another is in a call of the same statement.
unsafe impl Send for Canceller {}

impl Canceller {
    pub fn cancel(&self) {
        // SAFETY: the statement exists, by the condition above; `cancel.rs` keeps it by a lock.
        unsafe { (self.functions.SQLCancel)(self.raw) };
    }
}

/// The place of a parameter or of a column, which a statement knows by its address.
pub struct Bound {
    shape: Shape,
    /// Never moved or made longer while it is bound.
    bytes: Box<[u8]>,
    /// The length of a text, or that there is none; its address is bound, too.
    length: Box<isize>,
}

impl Bound {
    /// A place for a parameter, numbered from 1, of at most so many bytes.
    pub fn parameter(
        statement: &Handle,
        number: u16,
        shape: Shape,
        room: usize,
    ) -> Result<Bound, Diagnostic> {
        let mut bound = Bound::new(shape, room);
        // SAFETY: the addresses are of the heap and stay what they are until `bound` is dropped; `Prepared` binds
        // again before, or drops the statement first.
        let result = unsafe {
            (statement.functions.SQLBindParameter)(
                statement.raw,
                number,
                PARAM_INPUT,
                shape.c_type(),
                shape.sql_type(),
                bound.bytes.len(),
                0,
                bound.bytes.as_mut_ptr().cast(),
                bound.bytes.len() as isize,
                &raw mut *bound.length,
            )
        };
        statement.check(result)?;
        Ok(bound)
    }

    /// A place for a column, numbered from 1.
    pub fn column(
        statement: &Handle,
        number: u16,
        shape: Shape,
        room: usize,
    ) -> Result<Bound, Diagnostic> {
        let mut bound = Bound::new(shape, room);
        // SAFETY: as for a parameter.
        let result = unsafe {
            (statement.functions.SQLBindCol)(
                statement.raw,
                number,
                shape.c_type(),
                bound.bytes.as_mut_ptr().cast(),
                bound.bytes.len() as isize,
                &raw mut *bound.length,
            )
        };
        statement.check(result)?;
        Ok(bound)
    }

    fn new(shape: Shape, room: usize) -> Bound {
        Bound {
            shape,
            bytes: vec![0; room.max(8)].into_boxed_slice(),
            length: Box::new(0),
        }
    }

    pub fn room(&self) -> usize {
        self.bytes.len()
    }

    #[inline]
    pub fn set_null(&mut self) {
        *self.length = NULL_DATA;
    }

    /// Sets what is bound to these bytes, at most as many as there is room for.
    #[inline]
    pub fn set(&mut self, bytes: &[u8]) {
        self.bytes[..bytes.len()].copy_from_slice(bytes);
        *self.length = bytes.len() as isize;
    }

    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether the column has a longer text now than there is room for; a text ends with a zero byte.
    #[inline]
    pub fn is_cut_short(&self) -> bool {
        let length = signed(*self.length);
        self.shape == Shape::Text && (length == NO_TOTAL || length >= self.bytes.len() as isize)
    }

    /// What a column has now: its bytes, or None for NULL.
    #[inline]
    pub fn get(&self) -> Option<&[u8]> {
        match signed(*self.length) {
            NULL_DATA => None,
            NO_TOTAL => Some(&self.bytes[..self.bytes.len() - 1]),
            length => Some(&self.bytes[..(length.max(0) as usize).min(self.bytes.len())]),
        }
    }
}

impl Diagnostic {
    /// What this program found itself.
    pub fn own(message: &str) -> Diagnostic {
        Diagnostic {
            state: "HY000".to_string(),
            native: 0,
            message: message.to_string(),
        }
    }
}

/// A length as it was meant. Drivers whose lengths have four bytes (Db2's libdb2.so; libdb2o.so has eight) leave the
/// upper half of ours as it was, zero, and their negative numbers look like lengths of just below 4 GiB.
#[inline]
fn signed(length: isize) -> isize {
    const NEGATIVE: std::ops::RangeInclusive<isize> = 0xffff_ff00..=0xffff_ffff;
    match NEGATIVE.contains(&length) {
        true => length as i32 as isize,
        false => length,
    }
}

/// The text in a buffer, up to the zero byte.
fn text(buffer: &[u8]) -> String {
    let end = buffer.iter().position(|&byte| byte == 0);
    String::from_utf8_lossy(&buffer[..end.unwrap_or(buffer.len())]).into_owned()
}

/// Whether the other end of a socket is closed, without waiting.
pub fn is_hung_up(socket: std::os::fd::RawFd) -> bool {
    let mut asked = libc::pollfd {
        fd: socket,
        events: libc::POLLRDHUP,
        revents: 0,
    };
    // SAFETY: one entry, which outlives the call.
    let count = unsafe { libc::poll(&mut asked, 1, 0) };
    count > 0 && asked.revents & (libc::POLLHUP | libc::POLLRDHUP) != 0
}
