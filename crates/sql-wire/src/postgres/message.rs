//! Reading and writing PostgreSQL messages. Nothing here trusts a length that came from a server.

use crate::rows::Rows;
use std::borrow::Cow;

/// Appends one message; `write` appends its body.
#[inline]
pub fn frame(out: &mut Vec<u8>, tag: u8, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(tag);
    frame_untagged(out, write);
}

/// The same without a type byte, as the start-up message has none.
#[inline]
pub fn frame_untagged(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend([0; 4]);
    write(out);
    let length = (out.len() - start) as u32;
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

/// Splits a big-endian i32 off the front.
pub fn take_i32(bytes: &mut &[u8]) -> Option<i32> {
    let (head, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    Some(i32::from_be_bytes(*head))
}

/// Appends the fields of a DataRow, of which the first tells the number of columns; false when it is broken.
pub fn text_row(body: &[u8], rows: &mut Rows) -> bool {
    let Some((count, mut rest)) = body.split_first_chunk::<2>() else {
        return false;
    };
    let columns = usize::from(u16::from_be_bytes(*count));
    if rows.columns() == 0 {
        rows.start(columns);
    }
    if columns != rows.columns() || !rows.has_room() {
        return true;
    }
    for _ in 0..columns {
        match take_i32(&mut rest) {
            None => return false,
            Some(length) if length < 0 => rows.push_null(),
            Some(length) => {
                let Some((field, behind)) = rest.split_at_checked(length as usize) else {
                    return false;
                };
                rows.push_text(field);
                rest = behind;
            }
        }
    }
    true
}

/// Begins rows with the columns of a RowDescription; None when it is broken.
pub fn columns(body: &[u8], rows: &mut Rows) -> Option<()> {
    let (count, mut rest) = body.split_first_chunk::<2>()?;
    let count = u16::from_be_bytes(*count);
    rows.start(usize::from(count));
    for _ in 0..count {
        let end = rest.iter().position(|&byte| byte == 0)?;
        rows.push_name(&rest[..end]);
        // Table, column, type, its size and modifier, format.
        rest = rest.get(end + 1 + 18..)?;
    }
    Some(())
}

/// The number of rows that a CommandComplete tells of, as `UPDATE 3`; 0 for what changes nothing.
pub fn affected(body: &[u8]) -> u64 {
    let changes = [
        b"INSERT".as_slice(),
        b"UPDATE",
        b"DELETE",
        b"MERGE",
        b"COPY",
    ];
    if !changes.iter().any(|verb| body.starts_with(verb)) {
        return 0;
    }
    let digits = body.strip_suffix(b"\0").unwrap_or(body);
    digits
        .rsplit(|&byte| byte == b' ')
        .next()
        .and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok())
        .unwrap_or(0)
}

/// The field with this code of an ErrorResponse or NoticeResponse.
///
/// Before the log-in a server speaks in its own encoding, which may be any.
pub fn error_field(body: &[u8], code: u8) -> Option<Cow<'_, str>> {
    body.split(|&byte| byte == 0)
        .find(|field| field.first() == Some(&code))
        .map(|field| String::from_utf8_lossy(&field[1..]))
}
