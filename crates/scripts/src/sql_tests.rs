use super::*;
use sql_wire::{Effect, Value as Sent};
use workloads::testing::{calls, one_row, play};

fn file(text: &str, kind: Kind, defined: &[(&str, &str)]) -> Rc<dyn Workload> {
    let defined: Vec<(String, Value)> = defined
        .iter()
        .map(|(name, value)| (name.to_string(), Value::read(value)))
        .collect();
    Rc::new(SqlFile::new("dir/bank.sql", text, kind, &defined, false).unwrap())
}

#[test]
fn variables_become_parameters_of_their_types() {
    let text = "\\set id random(1, 10)\n\\setstring c ##-@@\nBEGIN;\nUPDATE t SET c=:c, d=:d, e=:n WHERE id=:id;\nCOMMIT;";
    let all = calls(
        file(text, Kind::Mysql, &[("d", "1.5"), ("n", "null")]),
        0,
        1,
    );
    let effects: Vec<Effect> = all.iter().map(|called| called.statement.effect).collect();
    assert_eq!(effects, [Effect::Begin, Effect::Write, Effect::Commit]);
    assert_eq!(
        all[1].statement.sql,
        "UPDATE t SET c=?, d=?, e=? WHERE id=?"
    );
    assert_eq!(all[1].statement.name, "update");
    let types = [Type::Text, Type::Double, Type::BigInt, Type::BigInt];
    assert_eq!(*all[1].statement.types, types);
    assert_eq!(
        (all[1].values[1], all[1].values[2]),
        (Sent::Double(1.5), Sent::Null)
    );
    assert!(matches!(all[1].values[3], Sent::BigInt(1..=10)));
    assert_eq!(all[1].texts[0].len(), 5);
}

#[test]
fn a_comment_that_mysql_executes_is_sent_whole() {
    let text = "/*!40101 SET NAMES utf8 */;\n/*! INSERT INTO t VALUES (1) */;\n-- it's one\nSELECT 'what?' /* ? */";
    let all = calls(file(text, Kind::Mysql, &[]), 0, 1);
    let sent: Vec<String> = all
        .iter()
        .map(|called| called.statement.sql.to_string())
        .collect();
    assert_eq!(
        sent,
        [
            "/*!40101 SET NAMES utf8 */",
            "/*! INSERT INTO t VALUES (1) */",
            "SELECT 'what?' /* ? */"
        ]
    );
    assert_eq!(all[1].statement.effect, Effect::Write);
}

#[test]
fn a_placeholder_of_mysql_is_a_mistake() {
    let refused = |text: &str| {
        let made = SqlFile::new("x.sql", text, Kind::Mysql, &[], false);
        made.map(drop).unwrap_err().to_string()
    };
    assert!(refused("SELECT '?', ?").contains("write :name for a parameter"));
}

#[test]
fn parameters_have_the_types_of_literals_on_postgres() {
    let all = calls(
        file(
            "SELECT :a, :b, :c, :d",
            Kind::Postgres,
            &[("a", "5"), ("b", "2.5"), ("c", "5000000000"), ("d", "x")],
        ),
        0,
        1,
    );
    assert_eq!(all[0].statement.sql, "SELECT $1, $2, $3, $4");
    assert_eq!(all[0].texts, ["2.5", "x"]);
    let types = [Type::Int, Type::Numeric, Type::BigInt, Type::Text];
    assert_eq!(*all[0].statement.types, types);
}

#[test]
fn results_go_into_variables() {
    let text =
        "SELECT a, b, c FROM t \\into a b c\n\\if :a > 5\nUPDATE t SET a=:b, c=:c;\n\\endif\n";
    let (all, result) = play(file(text, Kind::Mysql, &[]), 0, 1, |called| {
        let rows = match called.statement.effect {
            Effect::Read => vec![vec!["7", "x", "2.5"]],
            _ => Vec::new(),
        };
        Ok((one_row(), rows))
    });
    assert_eq!(result, Ok(End::Committed));
    assert_eq!(all[1].texts, ["x"]);
    assert_eq!(all[1].values[1], Sent::Double(2.5));
}

#[test]
fn only_files_that_write_are_writing() {
    let writes = |text: &str| file(text, Kind::Mysql, &[]).transactions()[0].writes;
    assert!(!writes("BEGIN; SELECT 1; COMMIT;"));
    assert!(writes("SELECT a FROM t FOR UPDATE;"));
    assert!(writes("DELETE FROM t;"));
}

#[test]
fn a_mistake_of_the_script_is_told_with_its_line() {
    let (_, result) = play(
        file("\\set a 0\n\\set b 1 / :a\nSELECT :b;", Kind::Mysql, &[]),
        0,
        1,
        |_| Ok((one_row(), Vec::new())),
    );
    assert_eq!(
        result.unwrap_err().message,
        "dir/bank.sql:2: division by zero"
    );
    let refused = SqlFile::new("bank.sql", "SELECT :x", Kind::Mysql, &[], false)
        .err()
        .unwrap();
    assert!(
        refused
            .to_string()
            .starts_with("bank.sql:1:8: no variable 'x'")
    );
    assert!(refused.is::<Usage>());
}
