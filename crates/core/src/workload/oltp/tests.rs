use super::*;

fn options() -> OltpOptions {
    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        options: OltpOptions,
    }
    <Line as clap::Parser>::parse_from(["test", "--tables=3"]).options
}

fn names(transaction: Transaction, options: OltpOptions) -> Vec<String> {
    let oltp = Oltp::new(Kind::Mysql, transaction, options, 1);
    let (mut rng, mut parameters) = (Rng::new(1, 0), Parameters::default());
    let mut cursor = Cursor::default();
    let mut names = Vec::new();
    while let Some(id) = oltp.next(&mut cursor, &mut rng, &mut parameters) {
        let statement = &oltp.statements()[id];
        assert_eq!(
            statement.types.len(),
            parameters.values.len(),
            "{}",
            statement.sql
        );
        names.push(statement.name.to_string());
    }
    assert!(oltp.next(&mut cursor, &mut rng, &mut parameters).is_none());
    names
}

#[test]
fn read_write_is_twenty_statements_in_sysbench_order() {
    let names = names(Transaction::ReadWrite, options());
    let mut expected = vec!["begin"];
    expected.extend(["point_select"; 10]);
    expected.extend(["simple_range", "sum_range", "order_range", "distinct_range"]);
    expected.extend([
        "index_update",
        "non_index_update",
        "delete",
        "insert",
        "commit",
    ]);
    assert_eq!(names, expected);
}

#[test]
fn every_transaction_has_its_statements() {
    let count = |transaction| names(transaction, options()).len();
    assert_eq!(count(Transaction::PointSelect), 1);
    assert_eq!(count(Transaction::ReadOnly), 16);
    assert_eq!(count(Transaction::WriteOnly), 6);
    assert_eq!(count(Transaction::UpdateIndex), 1);
    assert_eq!(count(Transaction::UpdateNonIndex), 1);
    assert_eq!(count(Transaction::Insert), 1);
    assert_eq!(count(Transaction::Delete), 1);
}

#[test]
fn switches_are_obeyed() {
    let mut bare = options();
    bare.skip_trx = true;
    bare.range_selects = false;
    bare.delete_inserts = 2;
    let names = names(Transaction::ReadWrite, bare);
    assert_eq!(names.len(), 10 + 2 + 4);
    assert_eq!(&names[12..], ["delete", "insert", "delete", "insert"]);
}

#[test]
fn insert_repeats_the_row_and_table_of_its_delete() {
    let oltp = Oltp::new(Kind::Mysql, Transaction::WriteOnly, options(), 1);
    let (mut rng, mut parameters) = (Rng::new(5, 0), Parameters::default());
    for _ in 0..50 {
        let mut cursor = Cursor::default();
        let mut deleted = None;
        while let Some(id) = oltp.next(&mut cursor, &mut rng, &mut parameters) {
            let statement = &oltp.statements()[id];
            let table = statement
                .sql
                .split("sbtest")
                .nth(1)
                .map(|rest| rest[..1].to_string());
            match statement.name {
                "delete" => deleted = Some((parameters.values[0], table)),
                "insert" => assert_eq!(deleted, Some((parameters.values[0], table))),
                _ => {}
            }
        }
    }
}

#[test]
fn texts_have_the_shape_of_the_columns() {
    let mut text = Vec::new();
    groups(&mut Rng::new(1, 1), C_GROUPS, &mut text);
    assert_eq!(text.len(), 119);
    assert!(
        text.iter()
            .enumerate()
            .all(|(index, byte)| match index % 12 {
                11 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    );
}
