//! The numbers of those DBMSs that are reached by ODBC alone, as their manuals have them. None was tried against its
//! server; a number that is not here is judged by its SQLSTATE.

use crate::{Class, Kind};

/// The DBMS' own number. Oracle's stands in the text as well, and Db2's has a sign.
pub fn number(_kind: Kind, native: i32, _message: &str) -> Option<i32> {
    (native != 0).then_some(native)
}

/// The class of a number, if the table has it.
pub fn class(_kind: Kind, _number: i32) -> Option<Class> {
    None
}
