//! The statements of imsi.

use sql_wire::{Effect, Kind, Statement, Type};

/// The index that finds free visitor IMSIs of a partner.
pub const FREE_INDEX: &str = "v_imsi_info_free";
pub const NONE_FREE: &str = "no free visitor IMSI";

/// In the order of `all`.
#[derive(Clone, Copy)]
pub enum On {
    Home,
    Partner,
    Free,
    ReleaseVisitor,
    ReleaseHome,
    BindVisitor,
    BindHome,
    Event,
    CallAllocate,
    CallRelease,
}

pub fn all(kind: Kind) -> Vec<Statement> {
    let hint = match kind {
        // Else the optimizer may walk along the primary key, for its order, and lock what it passes.
        Kind::Mysql => format!(" FORCE INDEX ({FREE_INDEX})"),
        _ => String::new(),
    };
    let free = format!(
        "SELECT v_imsi FROM v_imsi_info{hint} WHERE p_id = ? AND h_imsi IS NULL AND v_imsi >= ? \
         ORDER BY v_imsi LIMIT 1 FOR UPDATE SKIP LOCKED"
    );
    let (big, int) = (Type::BigInt, Type::Int);
    // A locking read is part of a transaction that writes.
    let list: [(&'static str, Effect, &str, &[Type]); 10] = [
        (
            "home",
            Effect::Read,
            "SELECT o_id, v_imsi, site FROM h_imsi_details WHERE h_imsi = ? FOR UPDATE",
            &[big],
        ),
        (
            "partner",
            Effect::Read,
            "SELECT p_id FROM imsi_partner WHERE o_id = ? AND country = ?",
            &[int, int],
        ),
        ("free", Effect::Read, &free, &[int, big]),
        (
            "release_visitor",
            Effect::Write,
            "UPDATE v_imsi_info SET h_imsi = NULL WHERE v_imsi = ?",
            &[big],
        ),
        (
            "release_home",
            Effect::Write,
            "UPDATE h_imsi_details SET v_imsi = NULL, allocated = NULL WHERE h_imsi = ?",
            &[big],
        ),
        (
            "bind_visitor",
            Effect::Write,
            "UPDATE v_imsi_info SET h_imsi = ? WHERE v_imsi = ?",
            &[big, big],
        ),
        (
            "bind_home",
            Effect::Write,
            "UPDATE h_imsi_details SET v_imsi = ?, allocated = CURRENT_TIMESTAMP WHERE h_imsi = ?",
            &[big, big],
        ),
        (
            "event",
            Effect::Write,
            "INSERT INTO imsi_event (site, h_imsi, v_imsi, event) VALUES (?, ?, ?, ?)",
            &[int, big, big, Type::Text],
        ),
        (
            "allocate",
            Effect::Write,
            "CALL AllocateIMSI(?, ?, ?)",
            &[big, int, big],
        ),
        ("release", Effect::Write, "CALL ReleaseIMSI(?)", &[big]),
    ];
    list.iter()
        .map(|&(name, effect, sql, types)| Statement::new(kind, name, effect, sql, types.to_vec()))
        .collect()
}
