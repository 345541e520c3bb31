//! Delivery, clause 2.7: the oldest undelivered order of each district of a warehouse.
//!
//! The specification has deliveries queued and executed behind the terminal's back, with a result file. Here the
//! connection executes it at once and waits: its response time is that of the deferred part. All districts are
//! one transaction, as clause 2.7 allows, and each step but the first takes one statement for all of them.

use super::random::DISTRICTS;
use super::statements::{DELIVERED, On};
use super::terminal::{Place, Terminal, at};
use crate::client::{Call, Reply};
use crate::{Client, End};
use sql_wire::{Failure, Kind};

/// An order to deliver.
#[derive(Clone, Copy)]
struct Order {
    district: i32,
    number: i32,
}

pub async fn run(terminal: &Terminal, client: &Client) -> Result<End, Failure> {
    let warehouse = terminal.warehouse(client);
    let carrier = client.rng().uniform(1, 10) as i32;
    client.begin().await?;
    let orders = oldest(client, warehouse).await?;
    if !orders.is_empty() {
        deliver(client, warehouse as i32, carrier, &orders).await?;
    }
    client.commit().await?;
    Ok(End::Committed)
}

/// The oldest order of each district, locked; a district without one is skipped.
async fn oldest(client: &Client, warehouse: u32) -> Result<Vec<Order>, Failure> {
    let mut orders = Vec::with_capacity(DELIVERED);
    for district in 1..=DISTRICTS {
        let place = Place {
            warehouse,
            district,
        };
        let reply = at(client, On::OldestNewOrder, place).rows().await?;
        if reply.rows > 0 {
            let number = reply.int(0, 0)? as i32;
            orders.push(Order {
                district: district as i32,
                number,
            });
        }
    }
    Ok(orders)
}

async fn deliver(
    client: &Client,
    warehouse: i32,
    carrier: i32,
    orders: &[Order],
) -> Result<(), Failure> {
    of_orders(
        client.call(On::DeleteNewOrders as usize).int(warehouse),
        orders,
    )
    .await?;
    let call = client.call(On::SetCarrier as usize).int(carrier);
    of_orders(call.int(warehouse), orders).await?;
    let call = client.call(On::SetDelivered as usize).int(warehouse);
    of_orders(call, orders).await?;
    let call = client.call(On::OrderCustomers as usize).int(warehouse);
    let customers = of_orders(call.rows(), orders).await?;
    let customers = by_district(customers, |reply, row| reply.int(row, 1))?;
    let call = client.call(On::OrderAmounts as usize).int(warehouse);
    let amounts = of_orders(call.rows(), orders).await?;
    let amounts = by_district(amounts, |reply, row| reply.text(row, 1))?;
    for order in orders {
        let (customer, amount) = match client.kind() {
            Kind::Noop => (1, "0"),
            _ => (*of(&customers, order)?, of(&amounts, order)?.as_str()),
        };
        let call = client.call(On::CustomerDelivered as usize).text(amount);
        let call = call.int(warehouse).int(order.district);
        call.int(customer as i32).await?;
    }
    Ok(())
}

/// Adds all orders, of which there are as many as the statement has room for: the last one is repeated.
fn of_orders<'a>(mut call: Call<'a>, orders: &[Order]) -> Call<'a> {
    let last = orders.len() - 1;
    for index in 0..DELIVERED {
        let order = orders[index.min(last)];
        call = call.int(order.district).int(order.number);
    }
    call
}

/// The values of a reply's rows with the districts in their first columns.
fn by_district<T>(
    reply: Reply,
    value: impl Fn(&Reply, usize) -> Result<T, Failure>,
) -> Result<Vec<(i32, T)>, Failure> {
    let rows = reply.all().len();
    let row = |row| Ok((reply.int(row, 0)? as i32, value(&reply, row)?));
    (0..rows).map(row).collect()
}

fn of<'a, T>(all: &'a [(i32, T)], order: &Order) -> Result<&'a T, Failure> {
    let found = all.iter().find(|(district, _)| *district == order.district);
    found.map(|(_, value)| value).ok_or_else(|| {
        let message = format!(
            "order {} of district {} is not whole",
            order.number, order.district
        );
        Failure::new(sql_wire::Class::Other, "missing", message)
    })
}
