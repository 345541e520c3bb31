//! AllocateIMSI and ReleaseIMSI as stored procedures: the same steps as statement by statement.
//!
//! MySQL's AllocateIMSI is a separate transaction; PostgreSQL runs a CALL as one. ReleaseIMSI is a part of
//! it, or stands in a transaction of the caller.

use super::statements::{FREE_INDEX, NONE_FREE};
use sql_wire::Kind;

pub const NAMES: [&str; 2] = ["AllocateIMSI", "ReleaseIMSI"];

/// The statements that create them, the inner one first.
pub fn create(kind: Kind) -> [String; 2] {
    match kind {
        Kind::Postgres => [
            format!(
                "CREATE OR REPLACE PROCEDURE ReleaseIMSI(the_home BIGINT) LANGUAGE plpgsql AS $$\n\
                 DECLARE held BIGINT; at_site INTEGER;\n\
                 BEGIN\n{}END $$",
                release()
            ),
            format!(
                "CREATE OR REPLACE PROCEDURE AllocateIMSI\
                 (the_home BIGINT, the_country INTEGER, the_start BIGINT) LANGUAGE plpgsql AS $$\n\
                 DECLARE held BIGINT; at_site INTEGER; the_operator INTEGER; the_partner INTEGER; \
                 taken BIGINT;\n\
                 BEGIN\n{}END $$",
                allocate(kind, "RAISE EXCEPTION '{}' USING ERRCODE = '45000'")
            ),
        ],
        _ => [
            format!(
                "CREATE PROCEDURE ReleaseIMSI(IN the_home BIGINT)\n\
                 BEGIN\nDECLARE held BIGINT; DECLARE at_site INTEGER;\n{}END",
                release()
            ),
            format!(
                "CREATE PROCEDURE AllocateIMSI\
                 (IN the_home BIGINT, IN the_country INTEGER, IN the_start BIGINT)\n\
                 BEGIN\nDECLARE held BIGINT; DECLARE at_site INTEGER; DECLARE the_operator INTEGER; \
                 DECLARE the_partner INTEGER; DECLARE taken BIGINT;\n\
                 DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;\n\
                 START TRANSACTION;\n{}COMMIT;\nEND",
                allocate(kind, "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '{}'")
            ),
        ],
    }
}

fn release() -> &'static str {
    "SELECT v_imsi, site INTO held, at_site FROM h_imsi_details WHERE h_imsi = the_home FOR UPDATE;\n\
     IF held IS NOT NULL THEN\n\
     UPDATE v_imsi_info SET h_imsi = NULL WHERE v_imsi = held;\n\
     UPDATE h_imsi_details SET v_imsi = NULL, allocated = NULL WHERE h_imsi = the_home;\n\
     INSERT INTO imsi_event (site, h_imsi, v_imsi, event) VALUES (at_site, the_home, held, 'R');\n\
     END IF;\n"
}

/// `refuse` ends the procedure with an error of this message.
fn allocate(kind: Kind, refuse: &str) -> String {
    let hint = match kind {
        Kind::Postgres => String::new(),
        _ => format!(" FORCE INDEX ({FREE_INDEX})"),
    };
    let free = |from: &str| {
        format!(
            "SELECT v_imsi INTO taken FROM v_imsi_info{hint} WHERE p_id = the_partner \
             AND h_imsi IS NULL AND v_imsi >= {from} ORDER BY v_imsi LIMIT 1 FOR UPDATE SKIP LOCKED;\n"
        )
    };
    format!(
        "SELECT o_id, v_imsi, site INTO the_operator, held, at_site FROM h_imsi_details \
         WHERE h_imsi = the_home FOR UPDATE;\n\
         SELECT p_id INTO the_partner FROM imsi_partner \
         WHERE o_id = the_operator AND country = the_country;\n\
         IF held IS NOT NULL THEN CALL ReleaseIMSI(the_home); END IF;\n\
         {}IF taken IS NULL THEN\n{}END IF;\n\
         IF taken IS NULL THEN {}; END IF;\n\
         UPDATE v_imsi_info SET h_imsi = the_home WHERE v_imsi = taken;\n\
         UPDATE h_imsi_details SET v_imsi = taken, allocated = CURRENT_TIMESTAMP WHERE h_imsi = the_home;\n\
         INSERT INTO imsi_event (site, h_imsi, v_imsi, event) VALUES (at_site, the_home, taken, 'A');\n",
        free("the_start"),
        free("0"),
        refuse.replace("{}", NONE_FREE)
    )
}
