//! New-Order, clause 2.4: an order of 5 to 15 lines; one of a hundred is undone as an item does not exist.

use super::money::{cents, write_cents};
use super::random::ITEMS;
use super::statements::{MOST_LINES, On, insert_of};
use super::terminal::{Place, Terminal, at, missing, percent};
use crate::{Client, End};
use base::rng::Rng;
use sql_wire::rows::Value;
use sql_wire::{Failure, Kind, Rows};

/// What the user typed in: clause 2.4.1.
#[derive(Debug)]
struct Order {
    place: Place,
    customer: u32,
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    item: u32,
    supply: u32,
    quantity: i32,
    /// In cents; None: the item does not exist.
    price: Option<i64>,
}

/// A row of `stock` that is locked; two lines may share one.
struct Stock {
    warehouse: u32,
    item: u32,
    quantity: i32,
    district_info: [u8; 24],
}

const UNDONE: &str = "an item of the order does not exist";

pub async fn run(terminal: &Terminal, client: &Client) -> Result<End, Failure> {
    let mut order = Order::draw(terminal, client);
    client.begin().await?;
    let customer = at(client, On::CustomerDiscount, order.place);
    customer.int(order.customer as i32).await?;
    read_prices(client, &mut order.lines).await?;
    let number = take_number(client, order.place).await?;
    insert_order(client, &order, number).await?;
    let total = order.lines.len();
    // The rest of the order is worked on even if one item does not exist, clause 2.4.2.3.
    order.lines.retain(|line| line.price.is_some());
    let mut stock = lock_stock(client, &order).await?;
    for line in &order.lines {
        update_stock(client, order.place, line, &mut stock).await?;
    }
    insert_lines(client, &order, number, &stock).await?;
    if order.lines.len() < total {
        client.rollback().await?;
        return Ok(End::Expected(UNDONE));
    }
    client.commit().await?;
    Ok(End::Committed)
}

impl Order {
    fn draw(terminal: &Terminal, client: &Client) -> Order {
        let place = terminal.place(client);
        let rng = &mut client.rng();
        let customer = terminal.constants.pick_customer(rng);
        let count = rng.uniform(5, MOST_LINES as u32);
        let undone = percent(rng) == 1;
        let mut lines: Vec<Line> = (0..count)
            .map(|_| Line::draw(terminal, place.warehouse, rng))
            .collect();
        if undone && let Some(last) = lines.last_mut() {
            last.item = ITEMS + 1;
        }
        Order {
            place,
            customer,
            lines,
        }
    }

    fn is_remote(&self, line: &Line) -> bool {
        line.supply != self.place.warehouse
    }
}

impl Line {
    fn draw(terminal: &Terminal, home: u32, rng: &mut Rng) -> Line {
        Line {
            item: terminal.constants.pick_item(rng),
            supply: match percent(rng) {
                1 => terminal.other_warehouse(home, rng),
                _ => home,
            },
            quantity: rng.uniform(1, 10) as i32,
            price: None,
        }
    }
}

async fn read_prices(client: &Client, lines: &mut [Line]) -> Result<(), Failure> {
    let mut call = client.call(On::Items as usize).rows();
    for item in filled_up(lines.iter().map(|line| line.item)) {
        call = call.int(item as i32);
    }
    let reply = call.await?;
    let rows = reply.all();
    for line in lines {
        let row = (0..rows.len()).find(|&row| rows.int(row, 0) == Some(i64::from(line.item)));
        line.price = row.and_then(|row| price(&rows, row));
        if client.kind() == Kind::Noop {
            line.price = Some(0);
        }
    }
    Ok(())
}

fn price(rows: &Rows, row: usize) -> Option<i64> {
    match rows.get(row, 1)? {
        Value::Text(text) => cents(text),
        _ => None,
    }
}

/// The order's number, the district's next.
async fn take_number(client: &Client, place: Place) -> Result<i32, Failure> {
    let reply = at(client, On::LockDistrict, place).rows().await?;
    if reply.rows == 0 {
        return Err(missing("district"));
    }
    let number = reply.int(0, 0)? as i32;
    at(client, On::NextOrder, place).await?;
    Ok(number)
}

async fn insert_order(client: &Client, order: &Order, number: i32) -> Result<(), Failure> {
    let Place {
        warehouse,
        district,
    } = order.place;
    let all_local = !order.lines.iter().any(|line| order.is_remote(line));
    let call = client.call(On::InsertOrder as usize).int(number);
    let call = call.int(district as i32).int(warehouse as i32);
    let call = call.int(order.customer as i32);
    let call = call.int(order.lines.len() as i32);
    call.int(i32::from(all_local)).await?;
    let call = client.call(On::InsertNewOrder as usize).int(number);
    call.int(district as i32).int(warehouse as i32).await?;
    Ok(())
}

/// Locks the stock of all lines, warehouse by warehouse in their order.
async fn lock_stock(client: &Client, order: &Order) -> Result<Vec<Stock>, Failure> {
    let mut warehouses: Vec<u32> = order.lines.iter().map(|line| line.supply).collect();
    warehouses.sort_unstable();
    warehouses.dedup();
    let mut stock = Vec::with_capacity(order.lines.len());
    for warehouse in warehouses {
        let lines = order.lines.iter().filter(|line| line.supply == warehouse);
        let mut call = client.call(On::LockStock as usize).rows();
        call = call.int(order.place.district as i32).int(warehouse as i32);
        for item in filled_up(lines.map(|line| line.item)) {
            call = call.int(item as i32);
        }
        let reply = call.await?;
        let rows = reply.all();
        stock.extend((0..rows.len()).filter_map(|row| Stock::read(warehouse, &rows, row)));
    }
    if client.kind() == Kind::Noop {
        stock.extend(order.lines.iter().map(Stock::of_nothing));
    }
    Ok(stock)
}

impl Stock {
    fn read(warehouse: u32, rows: &Rows, row: usize) -> Option<Stock> {
        let mut district_info = [b' '; 24];
        if let Some(Value::Text(text)) = rows.get(row, 3) {
            let length = text.len().min(district_info.len());
            district_info[..length].copy_from_slice(&text[..length]);
        }
        Some(Stock {
            warehouse,
            item: rows.int(row, 0)? as u32,
            quantity: rows.int(row, 1)? as i32,
            district_info,
        })
    }

    /// Stands for a row when there is no server.
    fn of_nothing(line: &Line) -> Stock {
        Stock {
            warehouse: line.supply,
            item: line.item,
            quantity: 0,
            district_info: [b' '; 24],
        }
    }

    fn is_of(&self, line: &Line) -> bool {
        (self.warehouse, self.item) == (line.supply, line.item)
    }
}

/// Takes the quantity from stock, which is filled up before it falls below 10: clause 2.4.2.2.
fn left_over(stock: i32, ordered: i32) -> i32 {
    match stock - ordered {
        left if left >= 10 => left,
        left => left + 91,
    }
}

async fn update_stock(
    client: &Client,
    home: Place,
    line: &Line,
    stock: &mut [Stock],
) -> Result<(), Failure> {
    let Some(of_line) = stock.iter_mut().find(|stock| stock.is_of(line)) else {
        return Err(missing("stock of an item"));
    };
    of_line.quantity = left_over(of_line.quantity, line.quantity);
    let call = client.call(On::UpdateStock as usize).int(of_line.quantity);
    let remote = i32::from(line.supply != home.warehouse);
    let call = call.int(line.quantity).int(remote);
    call.int(line.supply as i32).int(line.item as i32).await?;
    Ok(())
}

async fn insert_lines(
    client: &Client,
    order: &Order,
    number: i32,
    stock: &[Stock],
) -> Result<(), Failure> {
    let Place {
        warehouse,
        district,
    } = order.place;
    let mut call = client.call(insert_of(order.lines.len()));
    for (index, line) in order.lines.iter().enumerate() {
        let info = stock.iter().find(|stock| stock.is_of(line));
        let info = info.map_or([b' '; 24], |stock| stock.district_info);
        let amount = i64::from(line.quantity) * line.price.unwrap_or_default();
        call = call.int(number).int(district as i32).int(warehouse as i32);
        call = call.int(index as i32 + 1).int(line.item as i32);
        call = call.int(line.supply as i32).int(line.quantity);
        call = call.text_by(|out| write_cents(amount, out)).text(info);
    }
    call.await.map(drop)
}

/// As many items as a statement has parameters: the last one is repeated.
fn filled_up(items: impl Iterator<Item = u32>) -> [u32; MOST_LINES] {
    let mut filled = [0; MOST_LINES];
    let mut last = 0;
    let mut items = items.fuse();
    for place in &mut filled {
        last = items.next().unwrap_or(last);
        *place = last;
    }
    filled
}

#[cfg(test)]
mod tests;
