//! Stock-Level, clause 2.8: how many items of a district's last 20 orders are low in stock.

use super::statements::On;
use super::terminal::{Place, Terminal, at, missing};
use crate::{Client, End};
use sql_wire::Failure;

/// Without BEGIN: clause 2.8.2 asks for no more than read committed, and that is what each statement has.
pub async fn run(terminal: &Terminal, client: &Client) -> Result<End, Failure> {
    let place = Place {
        warehouse: terminal.warehouse(client),
        district: terminal.own_district(client),
    };
    let threshold = client.rng().uniform(10, 20) as i32;
    let reply = at(client, On::LatestOrder, place).rows().await?;
    if reply.rows == 0 {
        return Err(missing("district"));
    }
    let next = reply.int(0, 0)? as i32;
    let call = at(client, On::LowStock, place).int(next - 20).int(next - 1);
    call.int(place.warehouse as i32).int(threshold).await?;
    Ok(End::Committed)
}
