use super::*;
use crate::testing::{calls, client, one_row, play};
use sql_wire::Value;

fn bank(style: Style) -> Rc<dyn Workload> {
    make(
        Kind::Noop,
        &BankOptions {
            accounts: 3,
            amount: 7,
            audits: 25,
            style,
            isolation: Isolation::Serializable,
        },
    )
}

/// What the calls of a transfer add to which account.
fn moves(style: Style, seed: u64) -> Vec<(i64, i32)> {
    calls(bank(style), TRANSFER, seed)
        .iter()
        .filter(|called| called.statement.effect == Effect::Write)
        .map(|called| match called.values[..] {
            [Value::BigInt(value), Value::Int(account), _] => (value, account),
            _ => panic!("{called:?}"),
        })
        .collect()
}

#[test]
fn a_transfer_takes_from_one_account_what_it_gives_to_another() {
    for seed in 1..200 {
        let moves = moves(Style::Update, seed);
        assert_eq!(moves.len(), 2);
        assert_eq!(moves[0].0 + moves[1].0, 0);
        assert!((1..=7).contains(&moves[0].0.abs()));
        assert!(moves[0].1 < moves[1].1, "in the order of the accounts");
        assert!((1..=3).contains(&moves[0].1) && (1..=3).contains(&moves[1].1));
    }
}

#[test]
fn a_rewriting_transfer_writes_what_it_has_read_and_added() {
    let answer = |called: &crate::testing::Called| {
        let fields = match called.statement.name.as_ref() {
            "bank_read" => vec![vec!["50"]],
            _ => Vec::new(),
        };
        Ok((one_row(), fields))
    };
    let (all, result) = play(bank(Style::Rewrite), TRANSFER, 3, answer);
    result.unwrap();
    let written: Vec<i64> = all
        .iter()
        .filter(|called| called.statement.name == "bank_set")
        .map(|called| match called.values[0] {
            Value::BigInt(value) => value,
            _ => panic!("{called:?}"),
        })
        .collect();
    assert_eq!(written.iter().sum::<i64>(), 100);
    assert!(written.iter().all(|&balance| balance != 50));
    assert_eq!(all.last().unwrap().statement.effect, Effect::Commit);
}

#[test]
fn a_transfer_that_would_overdraw_an_account_ends_without_effect() {
    let nothing = |_: &crate::testing::Called| Ok((sql_wire::Reply::default(), Vec::new()));
    let (_, result) = play(bank(Style::Update), TRANSFER, 1, nothing);
    assert_eq!(result.unwrap(), End::Expected(TOO_LITTLE));
    let poor = |called: &crate::testing::Called| {
        let fields = match called.statement.name.as_ref() {
            "bank_read" => vec![vec!["0"]],
            _ => Vec::new(),
        };
        Ok((one_row(), fields))
    };
    let (all, result) = play(bank(Style::Rewrite), TRANSFER, 1, poor);
    assert_eq!(result.unwrap(), End::Expected(TOO_LITTLE));
    assert!(
        all.iter()
            .all(|called| called.statement.effect != Effect::Write)
    );
}

#[test]
fn audits_have_their_share() {
    let bank = bank(Style::Update);
    let client = client(bank.as_ref(), 1);
    let audits = (0..4000)
        .filter(|_| bank.pick(&client) == Some(AUDIT))
        .count();
    assert!((900..1100).contains(&audits), "{audits}");
}
