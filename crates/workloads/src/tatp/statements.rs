//! The SQL of TATP's transactions, as in the description.

use sql_wire::Effect::{Read, Write};
use sql_wire::Type::{BigInt, Int, Text};
use sql_wire::{Effect, Kind, Statement, Type};

/// In the order of `SQL`.
#[derive(Clone, Copy)]
pub enum On {
    GetSubscriber,
    GetDestination,
    GetAccess,
    UpdateBit,
    UpdateFacility,
    UpdateLocation,
    SubscriberByNumber,
    Facilities,
    InsertForwarding,
    DeleteForwarding,
}

/// Name, effect, text and parameter types.
const SQL: [(&str, Effect, &str, &[Type]); 10] = [
    (
        "get_subscriber",
        Read,
        "SELECT s_id, sub_nbr, \
         bit_1, bit_2, bit_3, bit_4, bit_5, bit_6, bit_7, bit_8, bit_9, bit_10, \
         hex_1, hex_2, hex_3, hex_4, hex_5, hex_6, hex_7, hex_8, hex_9, hex_10, \
         byte2_1, byte2_2, byte2_3, byte2_4, byte2_5, byte2_6, byte2_7, byte2_8, byte2_9, byte2_10, \
         msc_location, vlr_location FROM subscriber WHERE s_id = ?",
        &[Int],
    ),
    (
        "get_destination",
        Read,
        "SELECT cf.numberx FROM special_facility sf, call_forwarding cf \
         WHERE sf.s_id = ? AND sf.sf_type = ? AND sf.is_active = 1 \
         AND cf.s_id = sf.s_id AND cf.sf_type = sf.sf_type AND cf.start_time <= ? AND ? < cf.end_time",
        &[Int, Int, Int, Int],
    ),
    (
        "get_access",
        Read,
        "SELECT data1, data2, data3, data4 FROM access_info WHERE s_id = ? AND ai_type = ?",
        &[Int, Int],
    ),
    (
        "update_bit",
        Write,
        "UPDATE subscriber SET bit_1 = ? WHERE s_id = ?",
        &[Int, Int],
    ),
    (
        "update_facility",
        Write,
        "UPDATE special_facility SET data_a = ? WHERE s_id = ? AND sf_type = ?",
        &[Int, Int, Int],
    ),
    (
        "update_location",
        Write,
        "UPDATE subscriber SET vlr_location = ? WHERE sub_nbr = ?",
        &[BigInt, Text],
    ),
    (
        "subscriber_by_number",
        Read,
        "SELECT s_id FROM subscriber WHERE sub_nbr = ?",
        &[Text],
    ),
    (
        "facilities",
        Read,
        "SELECT sf_type FROM special_facility WHERE s_id = ?",
        &[Int],
    ),
    (
        "insert_forwarding",
        Write,
        "INSERT INTO call_forwarding (s_id, sf_type, start_time, end_time, numberx) VALUES (?, ?, ?, ?, ?)",
        &[Int, Int, Int, Int, Text],
    ),
    (
        "delete_forwarding",
        Write,
        "DELETE FROM call_forwarding WHERE s_id = ? AND sf_type = ? AND start_time = ?",
        &[Int, Int, Int],
    ),
];

pub fn all(kind: Kind) -> Vec<Statement> {
    let of = |(name, effect, sql, types): (&'static str, Effect, &str, &'static [Type])| {
        Statement::new(kind, name, effect, sql, types)
    };
    SQL.map(of).to_vec()
}
