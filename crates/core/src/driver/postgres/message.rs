//! Reading and writing PostgreSQL messages. Nothing here trusts a length that came from a server.

use crate::driver::Row;

/// Appends one message whose body `write` appends.
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

/// Appends a number in decimal without allocating.
pub fn append_number(number: usize, out: &mut Vec<u8>) {
    if number >= 10 {
        append_number(number / 10, out);
    }
    out.push(b'0' + (number % 10) as u8);
}

/// Splits a big-endian i32 off the front.
pub fn take_i32(bytes: &mut &[u8]) -> Option<i32> {
    let (head, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    Some(i32::from_be_bytes(*head))
}

/// All fields of a DataRow; a broken length ends the row early.
pub fn text_row(body: &[u8]) -> Row {
    let mut row = Row::new();
    let mut rest = body.get(2..).unwrap_or_default();
    while let Some(length) = take_i32(&mut rest) {
        if length < 0 {
            row.push(None);
            continue;
        }
        let Some((field, behind)) = rest.split_at_checked(length as usize) else {
            break;
        };
        row.push(Some(String::from_utf8_lossy(field).into_owned()));
        rest = behind;
    }
    row
}

/// The field with this code of an ErrorResponse or NoticeResponse.
pub fn error_field(body: &[u8], code: u8) -> Option<&str> {
    body.split(|&byte| byte == 0)
        .find(|field| field.first() == Some(&code))
        .and_then(|field| std::str::from_utf8(&field[1..]).ok())
}
