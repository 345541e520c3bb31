//! The numbers of those DBMSs that are reached by ODBC alone, written from memory of their manuals but for the three
//! that are named below. None was tried against its server; a number that is not here is judged by its SQLSTATE.
//!
//! Sources: solidDB manual, "Database errors", "Error codes for HotStandby"; Oracle Database Error Messages; Microsoft,
//! "Database Engine errors and events"; IBM Db2, "SQL messages".

use crate::failure::Class;
use crate::kind::Kind;

type Table = &'static [(Class, &'static [i32])];

/// 10013, 10045 and 10047 were read in the HotStandby manual; the others are those of the Administrator Guide's list,
/// from memory, as it was not at hand. Concurrency conflicts are those of optimistic tables, deadlocks those of
/// pessimistic ones. Transactions are aborted when the servers of a HotStandby pair change their roles (10047), and
/// are to be tried again.
const SOLIDDB: Table = &[
    (Class::Conflict, &[10006, 10007, 10047]),
    (Class::Deadlock, &[10031]),
    (Class::LockTimeout, &[10014]),
    (Class::Timeout, &[10026]),
    (Class::Constraint, &[10005, 10028, 10029, 10033]),
    (Class::ReadOnly, &[10013, 10041]),
    (Class::NotPrimary, &[10045]),
    (Class::MissingTable, &[13011]),
];

const ORACLE: Table = &[
    (Class::Deadlock, &[60]),
    (Class::Conflict, &[8177]),
    (Class::LockTimeout, &[54, 30006]),
    (Class::Timeout, &[1013, 12170]),
    (Class::Constraint, &[1, 1400, 1407, 2290, 2291, 2292]),
    (Class::ReadOnly, &[1456, 16000]),
    (Class::NotReady, &[1033, 1034, 1035, 16456]),
    (Class::Shutdown, &[28, 1012, 1089, 1090, 1092]),
    (
        Class::Connection,
        &[
            3113, 3114, 3135, 12537, 12547, 12571, 25402, 25405, 25407, 25408, 25409,
        ],
    ),
    (
        Class::Refused,
        &[18, 20, 12514, 12516, 12519, 12520, 12528, 12541, 12543],
    ),
    (Class::Authentication, &[1017, 1045, 28000, 28001]),
    (Class::UnknownDatabase, &[12154]),
    (Class::MissingTable, &[942]),
];

const SQLSERVER: Table = &[
    (Class::Deadlock, &[1205]),
    (Class::Conflict, &[3960, 41302, 41305, 41325]),
    (Class::LockTimeout, &[1222]),
    (Class::Constraint, &[515, 547, 2601, 2627]),
    (Class::ReadOnly, &[3906, 3908]),
    (Class::NotPrimary, &[978]),
    (Class::NotReady, &[976, 983, 40613]),
    (Class::Shutdown, &[6005, 17142]),
    (Class::Authentication, &[18452, 18456, 18486, 18487, 18488]),
    (Class::UnknownDatabase, &[4060, 911]),
    (Class::MissingTable, &[208]),
];

const DB2: Table = &[
    (Class::Timeout, &[-952]),
    (Class::Constraint, &[-407, -530, -531, -532, -545, -803]),
    (Class::NotPrimary, &[-1773, -1776]),
    (Class::NotReady, &[-1015, -1035]),
    (Class::Connection, &[-1224, -30081, -30108]),
    (Class::Refused, &[-1032, -1040]),
    (Class::Authentication, &[-30082]),
    (Class::UnknownDatabase, &[-1013]),
    (Class::MissingTable, &[-204]),
];

fn table(kind: Kind) -> Table {
    match kind {
        Kind::Soliddb => SOLIDDB,
        Kind::Oracle => ORACLE,
        Kind::Sqlserver => SQLSERVER,
        Kind::Db2 => DB2,
        _ => &[],
    }
}

/// The DBMS' own number; where a driver has none, Oracle's is looked for in its text.
pub fn number(kind: Kind, native: i32, message: &str) -> Option<i32> {
    if native != 0 {
        return Some(native);
    }
    let (_, rest) = message
        .split_once("ORA-")
        .filter(|_| kind == Kind::Oracle)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|number| *number != 0)
}

/// The class of a number, if the table has it.
pub fn class(kind: Kind, number: i32, message: &str) -> Option<Class> {
    // one number for both; the reason code tells: 2 a deadlock, 68 a time-out
    if kind == Kind::Db2 && matches!(number, -911 | -913) {
        return Some(match message.contains("\"68\"") {
            true => Class::LockTimeout,
            false => Class::Deadlock,
        });
    }
    let row = table(kind)
        .iter()
        .find(|(_, numbers)| numbers.contains(&number));
    row.map(|(class, _)| *class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_number_has_two_classes() {
        for kind in [Kind::Soliddb, Kind::Oracle, Kind::Sqlserver, Kind::Db2] {
            let numbers = table(kind).iter().flat_map(|(_, numbers)| numbers.iter());
            let mut seen = HashSet::new();
            assert!(
                numbers.into_iter().all(|number| seen.insert(number)),
                "{kind:?}"
            );
        }
    }

    #[test]
    fn the_best_known_are_what_manuals_say() {
        let of = |kind, number| class(kind, number, "").unwrap();
        assert_eq!(of(Kind::Soliddb, 10006), Class::Conflict);
        assert_eq!(of(Kind::Soliddb, 10045), Class::NotPrimary);
        assert_eq!(of(Kind::Oracle, 60), Class::Deadlock);
        // the status of the transaction is not known after a failover of the session
        assert_eq!(of(Kind::Oracle, 25405), Class::Connection);
        assert_eq!(of(Kind::Sqlserver, 1205), Class::Deadlock);
        assert_eq!(of(Kind::Db2, -911), Class::Deadlock);
        let message =
            "SQL0911N  The current transaction has been rolled back.  Reason code \"68\".";
        assert_eq!(class(Kind::Db2, -913, message), Some(Class::LockTimeout));
        assert_eq!(class(Kind::Mysql, 1205, ""), None);
    }

    #[test]
    fn oracles_number_is_found_in_its_text() {
        assert_eq!(
            number(Kind::Oracle, 0, "ORA-00060: deadlock detected"),
            Some(60)
        );
        assert_eq!(number(Kind::Oracle, 1, "ORA-00060"), Some(1));
        assert_eq!(number(Kind::Oracle, 0, "ORA-"), None);
        assert_eq!(number(Kind::Db2, 0, "ORA-00060"), None);
    }
}
