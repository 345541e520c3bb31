use super::*;
use proptest::prelude::*;

fn table() -> Table {
    Table::of_rows("t", "a, b", 10)
}

fn text(rows: &mut Encoder) -> String {
    let pieces = rows.take();
    assert_eq!(pieces.len(), 1);
    String::from_utf8(pieces[0].clone()).unwrap()
}

#[test]
fn both_formats_of_every_kind_of_value() {
    let fill = |rows: &mut Encoder| {
        rows.begin().int(-7).int(u32::MAX).null().decimal(-1, 2);
        rows.decimal(123_456, 4).text("a'b").end();
        rows.begin().timestamp(1_709_164_799).end();
        assert_eq!(rows.count(), 2);
    };
    let mut copy = Encoder::copy();
    fill(&mut copy);
    assert_eq!(
        text(&mut copy),
        "-7\t4294967295\t\\N\t-0.01\t12.3456\ta'b\n2024-02-28 23:59:59\n"
    );
    let mut inserts = Encoder::inserts(&table(), 1000);
    fill(&mut inserts);
    assert_eq!(
        text(&mut inserts),
        "INSERT INTO t(a, b) VALUES(-7,4294967295,NULL,-0.01,12.3456,'a\\'b'),\
         ('2024-02-28 23:59:59')"
    );
}

#[test]
fn statements_are_cut_at_the_limit_and_each_is_whole() {
    let mut rows = Encoder::inserts(&table(), 60);
    for id in 0..10 {
        rows.begin().int(id).text("0123456789").end();
    }
    let statements = rows.take();
    assert!(statements.len() > 2);
    for statement in &statements {
        assert!(statement.starts_with(b"INSERT INTO t(a, b) VALUES("));
        assert!(statement.ends_with(b"')"));
        assert!(statement.len() < 60 + 20);
    }
    assert!(rows.take().is_empty());
}

#[test]
fn dates_at_the_edges_of_the_calendar() {
    for (seconds, expected) in [
        (0, "1970-01-01 00:00:00"),
        (951_782_400, "2000-02-29 00:00:00"),
        (951_868_800, "2000-03-01 00:00:00"),
        (-1, "1969-12-31 23:59:59"),
        (4_107_542_400, "2100-03-01 00:00:00"),
    ] {
        let mut out = Vec::new();
        append_timestamp(seconds, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}

/// Reads a line of COPY text as PostgreSQL's manual says: None is NULL.
fn read_copy(line: &str) -> Vec<Option<String>> {
    line.split('\t')
        .map(|field| {
            (field != "\\N").then(|| {
                unescape(field, |byte| match byte {
                    't' => '\t',
                    'n' => '\n',
                    'r' => '\r',
                    'b' => '\u{8}',
                    'v' => '\u{b}',
                    'f' => '\u{c}',
                    other => other,
                })
            })
        })
        .collect()
}

/// Reads the values of one row of an INSERT as MySQL's manual says: None is NULL.
fn read_insert(row: &str) -> Vec<Option<String>> {
    let mut values = Vec::new();
    let mut rest = row.strip_prefix('(').unwrap();
    while rest != ")" {
        rest = rest.strip_prefix(',').unwrap_or(rest);
        if let Some(behind) = rest.strip_prefix("NULL") {
            values.push(None);
            rest = behind;
            continue;
        }
        let body = rest.strip_prefix('\'').unwrap();
        let mut end = 0;
        let bytes = body.as_bytes();
        while bytes[end] != b'\'' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        values.push(Some(unescape(&body[..end], |byte| match byte {
            '0' => '\0',
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'b' => '\u{8}',
            'Z' => '\u{1a}',
            other => other,
        })));
        rest = &body[end + 1..];
    }
    values
}

fn unescape(text: &str, meaning: impl Fn(char) -> char) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => plain.push(meaning(letters.next().unwrap())),
            other => plain.push(other),
        }
    }
    plain
}

fn put(rows: &mut Encoder, values: &[Option<String>]) {
    rows.begin();
    for value in values {
        match value {
            Some(value) => rows.text(value),
            None => rows.null(),
        };
    }
    rows.end();
}

proptest! {
    #[test]
    fn copy_gives_every_text_back(
        values in prop::collection::vec(prop::option::of("[^\0]{0,20}|[\\\\\t\r\n'N.]{0,8}"), 1..6),
    ) {
        let mut rows = Encoder::copy();
        put(&mut rows, &values);
        let line = text(&mut rows);
        prop_assert_eq!(line.matches('\n').count(), 1);
        prop_assert!(line != "\\.\n");
        prop_assert_eq!(read_copy(line.strip_suffix('\n').unwrap()), values);
    }

    #[test]
    fn inserts_give_every_text_back(
        values in prop::collection::vec(prop::option::of("\\PC{0,20}|[\\\\\t\r\n'\"0N;\0]{0,8}"), 1..6),
    ) {
        let mut rows = Encoder::inserts(&table(), 1 << 20);
        put(&mut rows, &values);
        let sql = text(&mut rows);
        prop_assert_eq!(read_insert(sql.strip_prefix("INSERT INTO t(a, b) VALUES").unwrap()), values);
    }

    #[test]
    fn numbers_give_themselves_back(whole in any::<i64>(), scale in 0u32..10) {
        let mut rows = Encoder::copy();
        rows.begin().int(whole).decimal(whole, scale).end();
        let line = text(&mut rows);
        let fields: Vec<&str> = line.trim_end().split('\t').collect();
        prop_assert_eq!(fields[0].parse::<i64>().unwrap(), whole);
        let digits = fields[1].replace('.', "");
        prop_assert_eq!(digits.parse::<i64>().unwrap(), whole);
        prop_assert_eq!(fields[1].split('.').nth(1).map_or(0, str::len), scale as usize);
    }
}
