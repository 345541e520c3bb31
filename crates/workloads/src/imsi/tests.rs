use super::*;
use crate::dataset::DataSet;
use crate::testing::{Answered, Called, client, one_row, play, rows_of, settings};
use sql_wire::{Class, Reply, Value};

fn options(changes: &[&str]) -> ImsiOptions {
    settings("imsi", changes)
}

fn imsi(arguments: &[&str]) -> Rc<Imsi> {
    Rc::new(Imsi::new(Kind::Mysql, &options(arguments)))
}

/// A server where the subscriber holds `held`, and `free` are found one after the other.
fn server(
    held: &'static str,
    free: &'static [Option<&'static str>],
) -> impl FnMut(&Called) -> Answered {
    let mut free = free.iter();
    move |called| {
        Ok(match called.statement.name.as_ref() {
            "home" if held.is_empty() => (one_row(), vec![vec!["4", "\0", "1"]]),
            "home" => (one_row(), vec![vec!["4", held, "1"]]),
            "partner" => (one_row(), vec![vec!["13"]]),
            "free" => match free.next().unwrap() {
                Some(imsi) => (one_row(), vec![vec![*imsi]]),
                None => (Reply::default(), Vec::new()),
            },
            _ => (one_row(), Vec::new()),
        })
    }
}

fn names(called: &[Called]) -> Vec<&str> {
    called
        .iter()
        .map(|call| call.statement.name.as_ref())
        .collect()
}

#[test]
fn a_first_allocation_binds_both_sides_and_tells() {
    let workload = Rc::new(Imsi::new(Kind::Noop, &options(&[])));
    let (called, end) = play(
        workload,
        ALLOCATE,
        1,
        server("", &[Some("310150000000007")]),
    );
    assert_eq!(end.unwrap(), End::Committed);
    assert_eq!(
        names(&called),
        [
            "begin",
            "home",
            "partner",
            "free",
            "bind_visitor",
            "bind_home",
            "event",
            "commit"
        ]
    );
    let (home, visitor) = (called[1].values[0], Value::BigInt(310_150_000_000_007));
    assert_eq!(called[4].values, [home, visitor]);
    assert_eq!(called[5].values, [visitor, home]);
    assert_eq!(called[6].values[..3], [Value::Int(1), home, visitor]);
    assert_eq!(called[6].texts, ["A"]);
}

#[test]
fn what_the_subscriber_holds_is_released_first() {
    let free = &[None, Some("310150000000007")];
    let (called, end) = play(imsi(&[]), ALLOCATE, 1, server("310150000000009", free));
    assert_eq!(end.unwrap(), End::Committed);
    assert_eq!(
        names(&called)[3..8],
        ["release_visitor", "release_home", "event", "free", "free"]
    );
    assert_eq!(called[3].values, [Value::BigInt(310_150_000_000_009)]);
    assert_eq!(called[5].texts, ["R"]);
    // The second search begins at the first visitor IMSI.
    assert_eq!(called[7].values[1], Value::BigInt(0));
    for call in &called {
        assert_eq!(call.values.len(), call.statement.types.len());
    }
}

#[test]
fn nothing_is_committed_when_no_visitor_imsi_is_free() {
    let (called, end) = play(
        imsi(&[]),
        ALLOCATE,
        1,
        server("310150000000009", &[None, None]),
    );
    assert_eq!(end.unwrap(), End::Expected(NONE_FREE));
    assert_eq!(called.last().unwrap().statement.name, "free");
}

#[test]
fn the_procedure_is_one_call_and_may_find_none_free() {
    let workload = imsi(&["style=procedures"]);
    let (called, end) = play(workload.clone(), ALLOCATE, 1, |_| {
        Ok((one_row(), Vec::new()))
    });
    assert_eq!(
        (names(&called), end.unwrap()),
        (vec!["allocate"], End::Committed)
    );
    for (class, code, expected) in [
        (Class::Other, "1644", true),
        (Class::Other, "45000", true),
        (Class::Deadlock, "1213", false),
    ] {
        let refuse = |_: &Called| Err(Failure::new(class, code, ""));
        let (_, end) = play(workload.clone(), ALLOCATE, 1, refuse);
        assert_eq!(end.is_ok(), expected, "{code}");
    }
}

#[test]
fn a_release_alone_is_a_transaction_too() {
    let (called, end) = play(imsi(&[]), RELEASE, 1, server("310150000000009", &[]));
    assert_eq!(end.unwrap(), End::Committed);
    assert_eq!(
        names(&called),
        [
            "begin",
            "home",
            "release_visitor",
            "release_home",
            "event",
            "commit"
        ]
    );
    let workload = imsi(&["style=procedures"]);
    let (called, _) = play(workload, RELEASE, 1, server("", &[]));
    assert_eq!(names(&called), ["begin", "release", "commit"]);
}

#[test]
fn connections_take_turns_with_the_sites_or_keep_to_one() {
    let all = imsi(&["home=90", "visitors=90", "sites=3"]);
    let one = imsi(&["home=90", "visitors=90", "sites=3", "site=3"]);
    let client = client(&*all, 1);
    for _ in 0..500 {
        for (workload, numbers) in [(&all, 0..30), (&one, 60..90)] {
            let journey = workload.journey(&client);
            let number = (journey.home - home_imsi(0)) as u32;
            assert!(numbers.contains(&number));
            assert!(numbers.contains(&((journey.start - visitor_imsi(0)) as u32)));
            assert_eq!(journey.country as u32, number % 30 / 3 % 3);
        }
    }
}

#[test]
fn ten_allocations_make_a_batch() {
    let workload = imsi(&[]);
    let complete: Vec<u64> = (0..25).filter_map(|time| workload.count(3, time)).collect();
    assert_eq!(complete, [0, 10]);
    assert_eq!(workload.count(0, 25), None);
}

#[test]
fn releases_have_their_share() {
    let workload = imsi(&["release=30"]);
    let client = client(&*workload, 2);
    let released = (0..10_000)
        .filter(|_| workload.pick(&client) == Some(RELEASE))
        .count();
    assert!((2800..3200).contains(&released), "{released}");
    assert_eq!(imsi(&[]).transactions().len(), 2);
}

#[test]
fn rows_name_operators_and_partners_that_exist() {
    let data = ImsiData::new(&options(&["home=100", "visitors=50"]));
    let tables = data.tables();
    let lines = |table: usize| -> Vec<Vec<i64>> {
        let rows = rows_of(&data, table, 0..tables[table].units, 1);
        let numbers = |row: Vec<String>| {
            row.iter()
                .map(|field| field.parse().unwrap_or(-1))
                .collect()
        };
        rows.into_iter().map(numbers).collect()
    };
    assert_eq!((lines(0).len(), lines(1).len()), (6, 18));
    assert!(lines(2).iter().all(|row| (0..6).contains(&row[2])));
    assert!(lines(3).iter().all(|row| (0..18).contains(&row[1])));
    for (table, rows) in (0..4).map(|table| (table, lines(table))) {
        let columns = tables[table].columns.split(", ").count();
        assert!(rows.iter().all(|row| row.len() == columns));
    }
}

#[test]
fn procedures_are_made_only_if_wanted() {
    let made = |style| {
        let data = ImsiData::new(&options(&[style]));
        let stages = data.finish(Kind::Postgres).concat();
        stages
            .iter()
            .filter(|sql| sql.contains("PROCEDURE"))
            .count()
    };
    assert_eq!((made("style=statements"), made("style=procedures")), (0, 2));
}
