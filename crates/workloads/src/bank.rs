//! bank: money is moved between accounts, and audits read all of them: whatever happens, the sum stays.
//!
//! Source: the bank test of Jepsen (jepsen.tests.bank). A transfer is one transaction over two accounts; an
//! audit is one SELECT, thus one snapshot at every level of isolation. No account is overdrawn: a transfer that
//! would do that ends without effect, as expected.

use super::isolation::Isolation;
use super::shares::pick_by_weight;
use super::{Client, End, Running, TransactionType, Workload};
use crate::history::Operation;
use serde::Deserialize;
use sql_wire::{Effect, Failure, Kind, Statement, Type, blocking, storage};
use std::rc::Rc;

pub const NAMES: &[&str] = &["bank"];
pub const TABLE: &str = "fivenines_bank";
/// What each account begins with.
const EACH: i64 = 100;

const TOO_LITTLE: &str = "the account holds too little";

const TRANSFER: usize = 0;
const AUDIT: usize = 1;

const ADD: usize = 0;
const READ: usize = 1;
const SET: usize = 2;
const ALL: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// The server adds and takes: balance = balance + n.
    Update,
    /// The client reads both balances and writes new ones: loses updates where isolation lets it.
    Rewrite,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BankOptions {
    /// Accounts.
    pub accounts: u32,
    /// The most that one transfer moves.
    pub amount: u32,
    /// Percentage of audits.
    pub audits: u32,
    /// How a transfer changes the balances.
    pub style: Style,
    /// The isolation level of its sessions.
    pub isolation: Isolation,
}

pub struct Bank {
    kind: Kind,
    options: BankOptions,
    types: [TransactionType; 2],
}

pub fn make(kind: Kind, options: &BankOptions) -> Rc<dyn Workload> {
    Rc::new(Bank {
        kind,
        options: *options,
        types: [
            TransactionType::new("transfer", true),
            TransactionType::new("audit", false),
        ],
    })
}

impl Bank {
    /// From which account to which, and how much.
    fn draw(&self, client: &Client) -> (i32, i32, i64) {
        let mut rng = client.rng();
        let from = rng.uniform(1, self.options.accounts);
        let other = rng.uniform(1, self.options.accounts - 1);
        let to = if other < from { other } else { other + 1 };
        let amount = rng.uniform(1, self.options.amount);
        (from as i32, to as i32, i64::from(amount))
    }

    async fn transfer(&self, client: &Client) -> Result<End, Failure> {
        let (from, to, amount) = self.draw(client);
        let mut moves = [(from, -amount), (to, amount)];
        // In one order everywhere, else transfers would wait for each other.
        moves.sort_unstable();
        client.begin().await?;
        for (account, value) in moves {
            let account = i64::from(account);
            client.note(Operation::Transfer { account, value });
        }
        match self.options.style {
            Style::Update => {
                for (account, value) in moves {
                    let call = client.call(ADD).big_int(value).int(account);
                    if call.big_int(value).await?.affected == 0 {
                        return Ok(End::Expected(TOO_LITTLE));
                    }
                }
            }
            Style::Rewrite if !rewrite(client, moves).await? => {
                return Ok(End::Expected(TOO_LITTLE));
            }
            Style::Rewrite => {}
        }
        client.commit().await?;
        Ok(End::Committed)
    }
}

/// False when there is too little money, as far as the client can see.
async fn rewrite(client: &Client, moves: [(i32, i64); 2]) -> Result<bool, Failure> {
    let mut balances = [0; 2];
    for (balance, (account, _)) in balances.iter_mut().zip(moves) {
        let reply = client.call(READ).int(account).rows().await?;
        *balance = reply.int(0, 0)?;
    }
    let after = balances
        .iter()
        .zip(moves)
        .map(|(balance, (_, value))| balance + value);
    if after.clone().any(|balance| balance < 0) {
        return Ok(false);
    }
    for (balance, (account, _)) in after.zip(moves) {
        client.call(SET).big_int(balance).int(account).await?;
    }
    Ok(true)
}

async fn audit(client: &Client) -> Result<End, Failure> {
    let reply = client.call(ALL).rows().await?;
    let rows = reply.all();
    for row in 0..rows.len() {
        if let (Some(account), Some(value)) = (rows.int(row, 0), rows.int(row, 1)) {
            client.note(Operation::Balance { account, value });
        }
    }
    Ok(End::Committed)
}

impl Workload for Bank {
    fn name(&self) -> &str {
        NAMES[0]
    }

    fn transactions(&self) -> &[TransactionType] {
        &self.types
    }

    fn statements(&self) -> Vec<Statement> {
        let add =
            format!("UPDATE {TABLE} SET balance = balance + ? WHERE id = ? AND balance + ? >= 0");
        let read = format!("SELECT balance FROM {TABLE} WHERE id = ?");
        let set = format!("UPDATE {TABLE} SET balance = ? WHERE id = ?");
        let all = format!("SELECT id, balance FROM {TABLE}");
        let of = |name, effect, sql: &str, types: &'static [Type]| {
            Statement::new(self.kind, name, effect, sql, types)
        };
        let change: &'static [Type] = &[Type::BigInt, Type::Int];
        vec![
            of(
                "bank_add",
                Effect::Write,
                &add,
                &[Type::BigInt, Type::Int, Type::BigInt],
            ),
            of("bank_read", Effect::Read, &read, &[Type::Int]),
            of("bank_set", Effect::Write, &set, change),
            of("bank_audit", Effect::Read, &all, &[]),
        ]
    }

    fn required_table(&self) -> Option<&str> {
        None
    }

    fn ready(&self, server: &mut blocking::Client) -> Result<(), Failure> {
        storage::require_transactions(server, self.kind, TABLE)?;
        server.query(&format!(
            "CREATE TABLE IF NOT EXISTS {TABLE} (id INT PRIMARY KEY, balance BIGINT NOT NULL)"
        ))?;
        server.query(&format!("SELECT COUNT(*) FROM {TABLE}"))?;
        let accounts = i64::from(self.options.accounts);
        if server.rows().int(0, 0) == Some(accounts) {
            return Ok(());
        }
        let rows: Vec<String> = (1..=accounts).map(|id| format!("({id},{EACH})")).collect();
        server.query(&format!("DELETE FROM {TABLE}"))?;
        server.query(&format!("INSERT INTO {TABLE} VALUES {}", rows.join(",")))?;
        Ok(())
    }

    fn session_setup(&self, kind: Kind) -> Vec<String> {
        self.options.isolation.setup(kind)
    }

    fn pick(&self, client: &Client) -> Option<usize> {
        let audits = f64::from(self.options.audits);
        let weights = [100.0 - audits, audits];
        Some(pick_by_weight(client, weights.iter().copied()))
    }

    fn run(self: Rc<Self>, which: usize, client: Rc<Client>) -> Running {
        Box::pin(async move {
            match which {
                TRANSFER => self.transfer(&client).await,
                AUDIT => audit(&client).await,
                other => unreachable!("bank has no transaction {other}"),
            }
        })
    }
}

#[cfg(test)]
mod tests;
