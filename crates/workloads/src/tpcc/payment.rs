//! Payment, clause 2.5: a customer pays; 15 % belong to another warehouse than the one that takes the money.

use super::money::write_cents;
use super::random::DISTRICTS;
use super::statements::On;
use super::terminal::{Customer, Place, Terminal, at, customer_number, missing, percent};
use crate::{Client, End};
use sql_wire::Failure;
use std::io::Write;

/// What the user typed in: clause 2.5.1.
#[derive(Debug)]
struct Input {
    /// Where the money is taken.
    place: Place,
    /// Where the customer lives.
    home: Place,
    customer: Customer,
    amount: Vec<u8>,
}

/// Characters of c_data.
const DATA: usize = 500;

pub async fn run(terminal: &Terminal, client: &Client) -> Result<End, Failure> {
    let input = Input::draw(terminal, client);
    client.begin().await?;
    let names = take_money(client, &input).await?;
    let number = customer_number(client, input.home, input.customer.clone()).await?;
    pay(client, &input, number).await?;
    insert_history(client, &input, number, &names).await?;
    client.commit().await?;
    Ok(End::Committed)
}

impl Input {
    fn draw(terminal: &Terminal, client: &Client) -> Input {
        let place = terminal.place(client);
        let rng = &mut client.rng();
        let home = match percent(rng) {
            1..=85 => place,
            _ => Place {
                warehouse: terminal.other_warehouse(place.warehouse, rng),
                district: rng.uniform(1, DISTRICTS),
            },
        };
        let customer = terminal.customer(rng);
        let mut amount = Vec::new();
        write_cents(rng.uniform(100, 500_000).into(), &mut amount);
        Input {
            place,
            home,
            customer,
            amount,
        }
    }
}

/// Adds the amount to warehouse and district; returns both names, as the history has them.
async fn take_money(client: &Client, input: &Input) -> Result<Vec<u8>, Failure> {
    let place = input.place;
    let warehouse = place.warehouse as i32;
    let call = client.call(On::WarehousePaid as usize);
    call.text(&input.amount).int(warehouse).await?;
    let reply = client.call(On::Warehouse as usize).int(warehouse);
    let reply = reply.rows().await?;
    if reply.rows == 0 {
        return Err(missing("warehouse"));
    }
    let mut names = reply.text(0, 0)?.into_bytes();
    let call = client.call(On::DistrictPaid as usize).text(&input.amount);
    call.int(warehouse).int(place.district as i32).await?;
    let reply = at(client, On::District, place).rows().await?;
    names.extend(b"    ");
    names.extend(reply.text(0, 0)?.into_bytes());
    Ok(names)
}

async fn pay(client: &Client, input: &Input, number: i32) -> Result<(), Failure> {
    let reply = at(client, On::LockCustomer, input.home).int(number).rows();
    let reply = reply.await?;
    if reply.rows == 0 {
        return Err(missing("customer"));
    }
    let bad = reply.text(0, 0)? == "BC";
    let which = if bad {
        On::BadCustomerPaid
    } else {
        On::CustomerPaid
    };
    let data = match bad {
        true => Some(noted(client, input, number).await?),
        false => None,
    };
    let mut call = client.call(which as usize);
    call = call.text(&input.amount).text(&input.amount);
    if let Some(data) = data {
        call = call.text(data);
    }
    let Place {
        warehouse,
        district,
    } = input.home;
    let call = call.int(warehouse as i32).int(district as i32);
    call.int(number).await?;
    Ok(())
}

/// What is noted about a customer with bad credit, with this payment before all others: clause 2.5.2.2.
async fn noted(client: &Client, input: &Input, number: i32) -> Result<Vec<u8>, Failure> {
    let call = at(client, On::CustomerData, input.home).int(number);
    let before = call.rows().await?.text(0, 0)?;
    let mut data = Vec::with_capacity(2 * DATA);
    // Writing to a Vec cannot fail.
    let _ = write!(
        data,
        "{number} {} {} {} {} {}|",
        input.home.district,
        input.home.warehouse,
        input.place.district,
        input.place.warehouse,
        String::from_utf8_lossy(&input.amount),
    );
    data.extend(before.as_bytes());
    data.truncate(DATA);
    Ok(data)
}

async fn insert_history(
    client: &Client,
    input: &Input,
    number: i32,
    names: &[u8],
) -> Result<(), Failure> {
    let call = client.call(On::InsertHistory as usize).int(number);
    let call = call.int(input.home.district as i32);
    let call = call.int(input.home.warehouse as i32);
    let call = call.int(input.place.district as i32);
    let call = call.int(input.place.warehouse as i32);
    call.text(&input.amount).text(names).await?;
    Ok(())
}
