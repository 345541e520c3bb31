//! A driver manager for tests that refuses chosen calls, which no real driver does on demand.

use super::*;
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

thread_local! {
    static CALLS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static REFUSED: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// Statements that were cancelled, by whichever thread.
pub static CANCELLED: AtomicUsize = AtomicUsize::new(0);

/// A handle of this stand-in; from now on this thread's calls with these words are refused.
pub fn handle(refused: &[&'static str]) -> Handle {
    static FUNCTIONS: OnceLock<Functions> = OnceLock::new();
    refuse(refused);
    Handle {
        functions: FUNCTIONS.get_or_init(all),
        kind: HANDLE_DBC,
        raw: null_mut(),
    }
}

pub fn refuse(refused: &[&'static str]) {
    REFUSED.set(refused.to_vec());
}

/// What this thread called since it was last asked, with what tells the calls apart.
pub fn calls() -> Vec<String> {
    CALLS.take()
}

pub(super) fn called(call: impl Into<String>) -> Return {
    let call = call.into();
    let refused = REFUSED.with_borrow(|refused| refused.contains(&call.as_str()));
    CALLS.with_borrow_mut(|calls| calls.push(call));
    if refused { -1 } else { SUCCESS }
}

fn all() -> Functions {
    Functions {
        SQLSetConnectAttr: set_attribute,
        SQLDriverConnect: connect,
        SQLGetDiagRec: diagnostic,
        SQLEndTran: end_transaction,
        SQLNumResultCols: columns,
        SQLDescribeCol: describe,
        SQLBindCol: bind,
        SQLFreeStmt: free,
        SQLFetch: no_data,
        SQLMoreResults: no_data,
        SQLCancel: cancel,
        ..Functions::stand_in()
    }
}

unsafe extern "C" fn set_attribute(_: Raw, attribute: i32, value: *mut c_void, _: i32) -> Return {
    called(format!("SQLSetConnectAttr {attribute} {}", value as usize))
}

unsafe extern "C" fn connect(
    _: Raw,
    _: *mut c_void,
    text: *const u8,
    length: i16,
    _: *mut u8,
    _: i16,
    _: *mut i16,
    _: u16,
) -> Return {
    // SAFETY: by its length it ends with a zero byte.
    let text = (length == NTS).then(|| unsafe { CStr::from_ptr(text.cast()) });
    called(format!("SQLDriverConnect {text:?}"))
}

unsafe extern "C" fn end_transaction(_: i16, _: Raw, how: i16) -> Return {
    called(format!("SQLEndTran {how}"))
}

unsafe extern "C" fn diagnostic(
    _: i16,
    _: Raw,
    _: i16,
    state: *mut u8,
    _: *mut i32,
    _: *mut u8,
    _: i16,
    _: *mut i16,
) -> Return {
    // SAFETY: the state's buffer has six bytes.
    unsafe { state.copy_from(c"40001".as_ptr().cast(), 6) };
    SUCCESS
}

unsafe extern "C" fn columns(_: Raw, count: *mut i16) -> Return {
    // SAFETY: it is given a number's address.
    unsafe { *count = 2 };
    SUCCESS
}

unsafe extern "C" fn describe(
    _: Raw,
    column: u16,
    _: *mut u8,
    _: i16,
    _: *mut i16,
    sql_type: *mut i16,
    _: *mut usize,
    _: *mut i16,
    _: *mut i16,
) -> Return {
    // SAFETY: it is given a number's address; 4 is SQL_INTEGER.
    unsafe { *sql_type = 4 };
    called(format!("SQLDescribeCol {column}"))
}

unsafe extern "C" fn bind(
    _: Raw,
    column: u16,
    _: i16,
    _: *mut c_void,
    _: isize,
    _: *mut isize,
) -> Return {
    called(format!("SQLBindCol {column}"))
}

unsafe extern "C" fn free(_: Raw, what: u16) -> Return {
    called(format!("SQLFreeStmt {what}"))
}

unsafe extern "C" fn no_data(_: Raw) -> Return {
    NO_DATA
}

unsafe extern "C" fn cancel(_: Raw) -> Return {
    CANCELLED.fetch_add(1, Ordering::SeqCst);
    SUCCESS
}

#[test]
fn null_is_null_also_by_drivers_whose_lengths_have_four_bytes() {
    let mut bound = Bound::new(Shape::Text, 16);
    for (length, expected) in [
        (-1, None),
        (0xffff_ffff, None),
        (0, Some(0)),
        (5, Some(5)),
        (-4, Some(15)),
        (0xffff_fffc, Some(15)),
        (17, Some(16)),
    ] {
        *bound.length = length;
        assert_eq!(bound.get().map(<[u8]>::len), expected, "{length:#x}");
        // a text of 16 bytes has no room for its end
        let is_whole = expected.is_none_or(|length| length < 15);
        assert_eq!(bound.is_cut_short(), !is_whole, "{length:#x}");
    }
    assert_eq!(signed(3 << 30), 3 << 30);
}

#[test]
fn connection_strings_end_with_a_zero_byte() {
    let connection = handle(&[]);
    connection.connect("DSN=x;PWD=app").unwrap();
    assert_eq!(calls(), ["SQLDriverConnect Some(\"DSN=x;PWD=app\")"]);
    assert!(connection.connect("DSN=x;PWD=a\0pp").is_err());
    assert!(calls().is_empty());
}
