//! Rows of a MySQL reply: text rows of queries, binary rows of executions.

use super::packet::Reader;
use crate::rows::Rows;

/// What decoding a binary field needs of its column's definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    kind: u8,
    unsigned: bool,
}

const UNSIGNED: u16 = 32;

/// Reads a column definition packet: the column and its name.
pub fn column(payload: &[u8]) -> Option<(Column, &[u8])> {
    let mut reader = Reader::new(payload);
    // catalog, schema, table, original table, name, original name
    for _ in 0..4 {
        counted(&mut reader)?;
    }
    let name = counted(&mut reader)?;
    counted(&mut reader)?;
    reader.length()?; // of the fixed part
    reader.take(6)?; // character set, display length
    let kind = reader.byte()?;
    let flags = reader.u16()?;
    let column = Column {
        kind,
        unsigned: flags & UNSIGNED != 0,
    };
    Some((column, name))
}

/// Appends the fields of a text row; false when the packet is broken.
pub fn text_row(payload: &[u8], columns: usize, rows: &mut Rows) -> bool {
    let mut reader = Reader::new(payload);
    for _ in 0..columns {
        if reader.skip_null() {
            rows.push_null();
            continue;
        }
        let Some(text) = counted(&mut reader) else {
            return false;
        };
        rows.push_text(text);
    }
    true
}

/// Appends the fields of a binary row; false when the packet is broken.
pub fn binary_row(payload: &[u8], columns: &[Column], rows: &mut Rows) -> bool {
    let mut reader = Reader::new(payload);
    let nulls = reader
        .byte()
        .and_then(|_| reader.take((columns.len() + 9) / 8));
    let Some(nulls) = nulls else { return false };
    for (index, column) in columns.iter().enumerate() {
        // The first two bits are reserved.
        let bit = index + 2;
        if nulls[bit / 8] & (1 << (bit % 8)) != 0 {
            rows.push_null();
        } else if field(&mut reader, *column, rows).is_none() {
            return false;
        }
    }
    true
}

fn field(reader: &mut Reader, column: Column, rows: &mut Rows) -> Option<()> {
    match column.kind {
        1 => rows.push_int(match column.unsigned {
            true => i64::from(reader.byte()?),
            false => i64::from(reader.byte()? as i8),
        }),
        2 | 13 => rows.push_int(match column.unsigned {
            true => i64::from(reader.u16()?),
            false => i64::from(reader.u16()? as i16),
        }),
        3 | 9 => rows.push_int(match column.unsigned {
            true => i64::from(reader.u32()?),
            false => i64::from(reader.u32()? as i32),
        }),
        8 => {
            let number = i64::from_le_bytes(*reader.take(8)?.first_chunk()?);
            match column.unsigned && number < 0 {
                // Beyond what a signed number holds.
                true => rows.push_text((number as u64).to_string().as_bytes()),
                false => rows.push_int(number),
            }
        }
        4 => rows.push_float(f64::from(f32::from_bits(reader.u32()?))),
        5 => rows.push_float(f64::from_le_bytes(*reader.take(8)?.first_chunk()?)),
        7 | 10 | 12 => moment(reader, rows)?,
        11 => time(reader, rows)?,
        _ => rows.push_text(counted(reader)?),
    }
    Some(())
}

/// DATE, DATETIME and TIMESTAMP: as many fields as differ from zero.
fn moment(reader: &mut Reader, rows: &mut Rows) -> Option<()> {
    let length = usize::from(reader.byte()?);
    let mut fields = [0; 11];
    fields
        .get_mut(..length)?
        .copy_from_slice(reader.take(length)?);
    let [y0, y1, month, day, hour, minute, second, m @ ..] = fields;
    let year = u16::from_le_bytes([y0, y1]);
    let mut text = format!("{year:04}-{month:02}-{day:02}");
    if length > 4 {
        text += &format!(" {hour:02}:{minute:02}:{second:02}");
    }
    if length > 7 {
        text += &format!(".{:06}", u32::from_le_bytes(m));
    }
    rows.push_text(text.as_bytes());
    Some(())
}

fn time(reader: &mut Reader, rows: &mut Rows) -> Option<()> {
    let length = usize::from(reader.byte()?);
    let mut fields = [0; 12];
    fields
        .get_mut(..length)?
        .copy_from_slice(reader.take(length)?);
    let [negative, d0, d1, d2, d3, hour, minute, second, m @ ..] = fields;
    let hours = u64::from(u32::from_le_bytes([d0, d1, d2, d3])) * 24 + u64::from(hour);
    let sign = if negative == 1 { "-" } else { "" };
    let mut text = format!("{sign}{hours:02}:{minute:02}:{second:02}");
    if length > 8 {
        text += &format!(".{:06}", u32::from_le_bytes(m));
    }
    rows.push_text(text.as_bytes());
    Some(())
}

fn counted<'a>(reader: &mut Reader<'a>) -> Option<&'a [u8]> {
    let length = reader.length()?;
    reader.take(usize::try_from(length).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(kind: u8, unsigned: bool) -> Column {
        Column { kind, unsigned }
    }

    #[test]
    fn a_definition_gives_type_and_sign() {
        let mut payload = b"\x03def\x01d\x01t\x01t\x01c\x01c\x0c\x3f\x00\x0b\x00\x00\x00".to_vec();
        payload.extend([3, 0x20, 0, 0, 0, 0]);
        assert_eq!(column(&payload), Some((of(3, true), b"c".as_slice())));
        assert_eq!(column(&payload[..10]), None);
    }

    #[test]
    fn binary_rows_are_decoded_by_type() {
        let columns = [
            of(3, false),
            of(253, false),
            of(5, false),
            of(1, true),
            of(12, false),
            of(8, false),
        ];
        let mut payload = vec![0, 0b1000_0000]; // the sixth is NULL
        payload.extend((-5i32).to_le_bytes());
        payload.extend(b"\x02ab");
        payload.extend(2.5f64.to_le_bytes());
        payload.push(200);
        payload.extend([7, 0xea, 7, 11, 22, 1, 2, 3]);
        let mut rows = Rows::default();
        rows.start(6);
        assert!(binary_row(&payload, &columns, &mut rows));
        assert_eq!(
            (rows.int(0, 0), rows.int(0, 3), rows.int(0, 5)),
            (Some(-5), Some(200), None)
        );
        assert_eq!(rows.float(0, 2), Some(2.5));
        assert_eq!(rows.text(0, 1).as_deref(), Some("ab"));
        assert_eq!(rows.text(0, 4).as_deref(), Some("2026-11-22 01:02:03"));
    }

    proptest! {
        #[test]
        fn survives_any_row(
            kinds in prop::collection::vec((any::<u8>(), any::<bool>()), 0..20),
            payload in prop::collection::vec(any::<u8>(), 0..120),
        ) {
            let columns: Vec<Column> = kinds.iter().map(|&(kind, unsigned)| of(kind, unsigned)).collect();
            let mut rows = Rows::default();
            rows.start(columns.len());
            binary_row(&payload, &columns, &mut rows);
            rows.start(columns.len());
            text_row(&payload, columns.len(), &mut rows);
            column(&payload);
        }
    }
}
