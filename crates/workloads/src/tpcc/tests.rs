use super::random::CUSTOMERS;
use super::*;
use crate::client::Exchange;
use crate::testing::{Answered, Called, calls, play_on, settings};
use proptest::prelude::{any, prop_assert, proptest};
use sql_wire::{Reply, Value};
use std::collections::HashSet;

pub const NEW_ORDER: usize = 0;
const PAYMENT: usize = 1;
const ORDER_STATUS: usize = 2;
const DELIVERY: usize = 3;
const STOCK_LEVEL: usize = 4;

pub fn tpcc(changes: &[&str]) -> Rc<Tpcc> {
    Rc::new(Tpcc::new(Kind::Mysql, settings("tpcc", changes)))
}

pub fn names(called: &[Called]) -> Vec<&str> {
    called.iter().map(|call| &*call.statement.name).collect()
}

pub fn ints(call: &Called) -> Vec<i32> {
    let of = |value: &Value| match *value {
        Value::Int(number) => Some(number),
        _ => None,
    };
    call.values.iter().filter_map(of).collect()
}

pub fn named<'a>(called: &'a [Called], name: &str) -> Vec<&'a Called> {
    let all = called.iter();
    all.filter(|call| call.statement.name == name).collect()
}

/// A field of a reply, which has to live as long as the program.
pub fn field(value: impl ToString) -> &'static str {
    value.to_string().leak()
}

pub fn rows(rows: Vec<Vec<&'static str>>) -> Answered {
    let count = rows.len() as u64;
    let reply = Reply {
        rows: count,
        affected: 1,
    };
    Ok((reply, rows))
}

/// A server with all customers and items, and a stock of 20 of each item.
pub fn server(called: &Called) -> Answered {
    let values = ints(called);
    let existing = |items: &[i32]| -> HashSet<i32> {
        let all = items.iter().copied();
        all.filter(|&item| item <= 100_000).collect()
    };
    match &*called.statement.name {
        "items" => {
            let row = |item: i32| vec![field(item), field(price(item)), "name", "data"];
            rows(existing(&values).into_iter().map(row).collect())
        }
        "lock_stock" => {
            let info = field(format!("district{:016}", values[0]));
            let row = |item: i32| vec![field(item), "20", "data", info];
            rows(existing(&values[2..]).into_iter().map(row).collect())
        }
        "customers_by_name" => rows(vec![vec!["11"], vec!["12"], vec!["13"], vec!["14"]]),
        "lock_customer" => rows(vec![vec!["GC"]]),
        "warehouse" => rows(vec![vec!["WARE"]]),
        "district" => rows(vec![vec!["DISTRICT"]]),
        "oldest_new_order" => rows(vec![vec![field(2100 + values[1])]]),
        "order_customers" => by_district(&values, |d| field(d * 100)),
        "order_amounts" => by_district(&values, |d| field(format!("{d}.25"))),
        _ => rows(vec![vec!["3001"]]),
    }
}

/// Dollars and cents of an item.
pub fn price(item: i32) -> String {
    format!("{}.{:02}", item % 90 + 1, item % 100)
}

fn by_district(values: &[i32], value: impl Fn(i32) -> &'static str) -> Answered {
    let districts: HashSet<i32> = values[1..].iter().step_by(2).copied().collect();
    let row = |d: i32| vec![field(d), value(d)];
    rows(districts.into_iter().map(row).collect())
}

pub fn run(flags: &[&str], which: usize, seed: u64) -> (Vec<Called>, Result<End, Failure>) {
    play_on(Kind::Mysql, tpcc(flags), which, seed, server)
}

fn answering(
    which: usize,
    seed: u64,
    statement: &str,
    answered: impl Fn(&Called) -> Answered,
) -> (Vec<Called>, Result<End, Failure>) {
    play_on(Kind::Mysql, tpcc(&[]), which, seed, |called| {
        match called.statement.name == statement {
            true => answered(called),
            false => server(called),
        }
    })
}

fn client(number: usize, seed: u64) -> Rc<Client> {
    let exchange = Exchange::new(Kind::Noop, Vec::new());
    Client::new(number, exchange, Rng::new(seed, 0))
}

#[test]
fn without_a_server_all_transactions_run() {
    for which in 0..5 {
        let all = |seed| calls(tpcc(&[]), which, seed);
        assert_eq!(all(7), all(7));
        assert_ne!(all(7), all(8));
        for call in all(7) {
            assert_eq!(call.statement.types.len(), call.values.len());
        }
    }
}

#[test]
fn payments_by_number_and_by_name() {
    let mut by_name = 0;
    for seed in 0..2000 {
        let (called, end) = run(&[], PAYMENT, seed);
        assert_eq!(end, Ok(End::Committed));
        let mut expected = vec![
            "begin",
            "warehouse_paid",
            "warehouse",
            "district_paid",
            "district",
        ];
        let customer = match named(&called, "customers_by_name").is_empty() {
            true => None,
            false => {
                by_name += 1;
                expected.push("customers_by_name");
                Some(12)
            }
        };
        expected.extend(["lock_customer", "customer_paid", "insert_history", "commit"]);
        assert_eq!(names(&called), expected);
        let locked = ints(named(&called, "lock_customer")[0])[2];
        assert_eq!(locked, customer.unwrap_or(locked));
        assert!((1..=CUSTOMERS as i32).contains(&locked));
        let history = named(&called, "insert_history")[0];
        assert_eq!(history.texts[1], "WARE    DISTRICT");
        assert_eq!(
            history.texts[0],
            named(&called, "customer_paid")[0].texts[0]
        );
        let cents = super::money::cents(history.texts[0].as_bytes()).unwrap();
        assert!((100..=500_000).contains(&cents));
    }
    assert!((1090..1310).contains(&by_name), "{by_name}");
}

#[test]
fn the_middle_customer_of_a_name_is_rounded_up() {
    for (customers, middle) in [(1, "1"), (2, "1"), (3, "2"), (4, "2"), (5, "3")] {
        for seed in 0..8 {
            let names = |_: &Called| rows((1..=customers).map(|n| vec![field(n)]).collect());
            let (called, _) = answering(ORDER_STATUS, seed, "customers_by_name", names);
            if !named(&called, "customers_by_name").is_empty() {
                let number = ints(named(&called, "customer")[0])[2];
                assert_eq!(number.to_string(), middle);
            }
        }
    }
}

#[test]
fn payments_of_other_warehouses_are_fifteen_percent() {
    let remote = |flags: &[&str]| {
        let is_remote = |seed: &u64| {
            let history = &run(flags, PAYMENT, *seed).0;
            let values = ints(named(history, "insert_history")[0]);
            values[2] != values[4]
        };
        (0..4000).filter(is_remote).count()
    };
    let of_ten = remote(&["warehouses=10"]);
    assert!((480..720).contains(&of_ten), "{of_ten}");
    assert_eq!(remote(&[]), 0);
}

#[test]
fn what_is_noted_of_bad_credit_is_newest_first_and_at_most_500_long() {
    let before = "x".repeat(499);
    let (called, end) = play_on(Kind::Mysql, tpcc(&[]), PAYMENT, 1, |called| match &*called
        .statement
        .name
    {
        "lock_customer" => rows(vec![vec!["BC"]]),
        "customer_data" => rows(vec![vec![field(&before)]]),
        _ => server(called),
    });
    assert_eq!(end, Ok(End::Committed));
    let paid = named(&called, "bad_customer_paid")[0];
    let values = ints(named(&called, "insert_history")[0]);
    let [c, c_d, c_w, d, w] = values[..5] else {
        panic!("{values:?}")
    };
    let noted = format!("{c} {c_d} {c_w} {d} {w} {}|", paid.texts[0]);
    assert_eq!(paid.texts[2].len(), 500);
    assert!(paid.texts[2].starts_with(&noted));
    assert!(
        paid.texts[2][noted.len()..]
            .bytes()
            .all(|byte| byte == b'x')
    );
}

#[test]
fn order_status_reads_a_customers_last_order() {
    let (called, end) = run(&[], ORDER_STATUS, 1);
    assert_eq!(end, Ok(End::Committed));
    let names = names(&called);
    assert_eq!(
        names[names.len() - 3..],
        ["customer", "last_order", "commit"]
    );
    let customer = ints(named(&called, "customer")[0]);
    let order = ints(named(&called, "last_order")[0]);
    assert_eq!(order[2..], customer[..]);
}

#[test]
fn a_delivery_takes_the_oldest_order_of_each_district() {
    let (called, end) = run(&[], DELIVERY, 1);
    assert_eq!(end, Ok(End::Committed));
    let mut expected = vec!["begin"];
    expected.extend(["oldest_new_order"; 10]);
    expected.extend(["delete_new_orders", "set_carrier", "set_delivered"]);
    expected.extend(["order_customers", "order_amounts"]);
    expected.extend(["customer_delivered"; 10]);
    expected.push("commit");
    assert_eq!(names(&called), expected);
    let orders: Vec<i32> = (1..=10).flat_map(|d| [d, 2100 + d]).collect();
    assert_eq!(ints(named(&called, "delete_new_orders")[0])[1..], orders);
    assert_eq!(ints(named(&called, "set_carrier")[0])[2..], orders);
    for (index, call) in named(&called, "customer_delivered").into_iter().enumerate() {
        let district = index as i32 + 1;
        assert_eq!(ints(call), [1, district, district * 100]);
        assert_eq!(call.texts, [format!("{district}.25")]);
    }
}

#[test]
fn districts_without_new_orders_are_skipped() {
    let only = |kept: fn(i32) -> bool| {
        move |called: &Called| match kept(ints(called)[1]) {
            true => server(called),
            false => rows(Vec::new()),
        }
    };
    let (called, end) = answering(DELIVERY, 1, "oldest_new_order", only(|d| d == 3 || d == 5));
    assert_eq!(end, Ok(End::Committed));
    let deleted = ints(named(&called, "delete_new_orders")[0]);
    assert_eq!(deleted[1..7], [3, 2103, 5, 2105, 5, 2105]);
    assert_eq!(named(&called, "customer_delivered").len(), 2);
    let (called, end) = answering(DELIVERY, 1, "oldest_new_order", only(|_| false));
    assert_eq!(end, Ok(End::Committed));
    assert_eq!(called.len(), 12);
}

#[test]
fn an_order_that_is_not_whole_fails_its_delivery() {
    let less = |called: &Called| {
        let (reply, mut fields) = server(called)?;
        fields.pop();
        Ok((reply, fields))
    };
    let (called, end) = answering(DELIVERY, 1, "order_amounts", less);
    assert!(end.unwrap_err().message.contains("not whole"));
    assert!(named(&called, "commit").is_empty());
}

#[test]
fn stock_level_looks_at_twenty_orders() {
    let (called, end) = run(&[], STOCK_LEVEL, 1);
    assert_eq!(end, Ok(End::Committed));
    assert_eq!(names(&called), ["latest_order", "low_stock"]);
    let values = ints(&called[1]);
    assert_eq!(values[2..4], [2981, 3000]);
    assert!((10..=20).contains(&values[5]));
}

#[test]
fn connections_have_homes() {
    let workload = tpcc(&["warehouses=3"]);
    let homes: Vec<u32> = (0..7)
        .map(|n| workload.terminal.warehouse(&client(n, 1)))
        .collect();
    assert_eq!(homes, [1, 2, 3, 1, 2, 3, 1]);
    let districts: HashSet<u32> = (0..30)
        .map(|n| workload.terminal.own_district(&client(n, 1)))
        .collect();
    assert_eq!(districts.len(), 10);
    let workload = tpcc(&["warehouses=3", "home=random"]);
    let one = client(0, 1);
    let homes: HashSet<u32> = (0..100)
        .map(|_| workload.terminal.warehouse(&one))
        .collect();
    assert_eq!(homes.len(), 3);
}

#[test]
fn missing_rows_say_what_to_look_at() {
    for (which, statement) in [
        (NEW_ORDER, "lock_district"),
        (NEW_ORDER, "lock_stock"),
        (PAYMENT, "warehouse"),
        (PAYMENT, "lock_customer"),
        (ORDER_STATUS, "customer"),
        (STOCK_LEVEL, "latest_order"),
    ] {
        let (_, end) = answering(which, 1, statement, |_| rows(Vec::new()));
        let failure = end.unwrap_err();
        assert!(
            failure.message.contains("warehouses"),
            "{statement}: {failure}"
        );
    }
}

#[test]
fn pauses_are_the_specifications_and_leave_the_transactions_numbers_alone() {
    let with = tpcc(&["think_times=true"]);
    let one = client(0, 9);
    let mut total = Duration::ZERO;
    for _ in 0..20_000 {
        let before = one.rng().clone().next_u64();
        let pauses = with.pauses(NEW_ORDER, &one);
        assert_eq!(one.rng().next_u64(), before);
        assert_eq!(pauses.before, Duration::from_secs(18));
        assert!(pauses.after <= Duration::from_secs(120));
        total += pauses.after;
    }
    let mean = total.as_secs_f64() / 20_000.0;
    assert!((11.5..12.5).contains(&mean), "{mean}");
    assert_eq!(tpcc(&[]).pauses(NEW_ORDER, &one), Pauses::default());
}

#[test]
fn sessions_ask_for_the_isolation_that_is_documented() {
    for kind in [Kind::Mysql, Kind::Postgres] {
        let setup = tpcc(&[]).session_setup(kind);
        assert!(setup.len() == 1 && setup[0].ends_with("READ COMMITTED"));
    }
}

proptest! {
    #[test]
    fn another_warehouse_is_another_one(seed in any::<u64>(), warehouses in 2u32..1000) {
        let workload = tpcc(&[&format!("warehouses={warehouses}")]);
        let mut rng = Rng::new(seed, 0);
        let home = rng.uniform(1, warehouses);
        let other = workload.terminal.other_warehouse(home, &mut rng);
        prop_assert!(other != home && (1..=warehouses).contains(&other));
    }
}
