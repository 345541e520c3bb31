//! Order-Status, clause 2.6: a customer's last order with its lines.

use super::statements::On;
use super::terminal::{Terminal, at, customer_number, missing};
use crate::{Client, End};
use sql_wire::Failure;

/// Order and lines come in one statement: they are of one moment, as READ COMMITTED promises for a statement.
pub async fn run(terminal: &Terminal, client: &Client) -> Result<End, Failure> {
    let place = terminal.place(client);
    let customer = terminal.customer(&mut client.rng());
    client.begin().await?;
    let number = customer_number(client, place, customer).await?;
    let reply = at(client, On::Customer, place).int(number).await?;
    if reply.rows == 0 {
        return Err(missing("customer"));
    }
    let (warehouse, district) = (place.warehouse as i32, place.district as i32);
    let call = at(client, On::LastOrder, place);
    call.int(warehouse).int(district).int(number).await?;
    client.commit().await?;
    Ok(End::Committed)
}
