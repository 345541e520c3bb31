use super::super::program::{Part, Takes, Text};
use super::*;
use proptest::prelude::*;

fn read(text: &str) -> Result<Program, Mistake> {
    let defined = [
        ("scale".to_string(), Value::Int(1)),
        ("client_id".to_string(), Value::Int(0)),
    ];
    super::read(text, Kind::Postgres, &defined, false)
}

fn mistake(text: &str) -> String {
    let Mistake {
        line,
        column,
        message,
    } = read(text).unwrap_err();
    format!("{line}:{column}: {message}")
}

/// A transaction in the manner of TPC-B, as users of pgbench write it.
const BANK: &str = "\\set aid random(1, 100000 * :scale)
\\set delta random(-5000, 5000)
BEGIN;
UPDATE accounts SET balance = balance + :delta WHERE aid = :aid;
SELECT balance FROM accounts WHERE aid = :aid;
INSERT INTO history (aid, delta, mtime) VALUES (:aid, :delta, CURRENT_TIMESTAMP);
END;
";

#[test]
fn a_bank_transaction_is_read() {
    let program = read(BANK).unwrap();
    let sql: Vec<&str> = program
        .statements
        .iter()
        .map(|text| text.sql.as_str())
        .collect();
    assert_eq!(
        sql[1],
        "UPDATE accounts SET balance = balance + $1 WHERE aid = $2"
    );
    assert_eq!((sql[0], sql[4]), ("BEGIN", "END"));
    let names = |statement: usize| -> Vec<&str> {
        let parameters = program.statements[statement].parameters.iter();
        parameters
            .map(|&place| program.variables[place].as_str())
            .collect()
    };
    assert_eq!(names(1), ["delta", "aid"]);
    assert_eq!(names(3), ["aid", "delta"]);
    assert_eq!(program.steps.len(), 7);
    assert!(program.writes());
}

#[test]
fn unknown_names_in_quotes_comments_and_casts_are_left_alone() {
    let program =
        read("SELECT ':aid', 1::int, a[1:2], /* :b */ \":c\" -- :d\n, $$ :e $$ \\into x y")
            .unwrap();
    let text = &program.statements[0];
    assert_eq!(
        text.sql,
        "SELECT ':aid', 1::int, a[1:2], /* :b */ \":c\" \n, $$ :e $$"
    );
    assert_eq!(text.parameters.len(), 0);
    assert!(matches!(&text.takes, Takes::Fields(places) if places.len() == 2));
    assert!(!program.writes());
}

#[test]
fn every_server_has_its_own_marks() {
    let program = super::read(
        "SELECT a FROM t WHERE b=:n AND c=':m' AND @x:=1",
        Kind::Mysql,
        &[("n".to_string(), Value::Int(1))],
        false,
    );
    assert_eq!(
        program.unwrap().statements[0].sql,
        "SELECT a FROM t WHERE b=? AND c=':m' AND @x:=1"
    );
}

#[test]
fn branches_jump_to_their_ends() {
    let text = "\\if :scale > 1\nSELECT 1;\n\\elif :scale = 1\nSELECT 2;\n\\else\nSELECT 3;\n\\endif\nSELECT 4;";
    let program = read(text).unwrap();
    let jumps: Vec<(usize, usize)> = program
        .steps
        .iter()
        .enumerate()
        .filter_map(|(at, step)| match step {
            Step::Unless { next, .. } | Step::GoTo { next } => Some((at, *next)),
            _ => None,
        })
        .collect();
    assert_eq!(jumps, [(0, 3), (2, 7), (3, 6), (5, 7)]);
}

#[test]
fn pauses_stand_at_both_ends() {
    let program = read("\\sleep 5 ms\nSELECT 1;\n\\sleep :scale s\n-- so\n\\sleep 10us\n").unwrap();
    assert_eq!(program.sleep_before, Duration::from_millis(5));
    assert_eq!(program.sleep_after, Duration::from_micros(1_000_010));
}

#[test]
fn commands_and_units_are_read_in_any_case() {
    let program = read("\\SLEEP 5 MS\nSELECT 1;\n\\Sleep 10Us\n").unwrap();
    assert_eq!(program.sleep_before, Duration::from_millis(5));
    assert_eq!(program.sleep_after, Duration::from_micros(10));
}

#[test]
fn variables_are_set_within_a_pipeline_before_it_takes_them() {
    let text = "\\startpipeline\nBEGIN;\n\\set a 1\nUPDATE t SET a = :a;\n\\set b :a + 1\nCOMMIT;\n\\endpipeline\n";
    let program = read(text).unwrap();
    let kinds: Vec<bool> = program
        .steps
        .iter()
        .map(|step| matches!(step, Step::Set { .. }))
        .collect();
    assert_eq!(kinds, [true, true, false]);
    let again = "\\set a 1\n\\startpipeline\nSELECT :a;\n\\set a 2\nSELECT :a;\n\\endpipeline\n";
    assert!(
        mistake(again).starts_with("4:1: \\set cannot stand behind a statement of a pipeline"),
        "{}",
        mistake(again)
    );
    let synchronised = again.replace("\\set a 2", "\\syncpipeline\n\\set a 2");
    assert_eq!(read(&synchronised).unwrap().steps.len(), 4);
}

#[test]
fn texts_that_are_sql_are_parts_of_the_statement() {
    let with = |text: &str, value: &str| {
        let defined = [
            ("v".to_string(), Value::read(value)),
            ("dir".to_string(), Value::read("desc")),
        ];
        let program = super::read(text, Kind::Postgres, &defined, false).unwrap();
        program.statements[0].parts.is_some()
    };
    for (text, value) in [
        ("SELECT count(*) FROM t WHERE a IN (:v)", "1,2,3"),
        ("SELECT count(*) FROM t WHERE :v", "a < 10"),
        ("SELECT :v FROM t", "a, b"),
        ("INSERT INTO t VALUES (:v)", "'abc'"),
        ("SELECT a FROM t ORDER BY :v", "a"),
        ("SELECT a, count(*) FROM t GROUP BY\n :v", "a"),
        ("SELECT a FROM t ORDER BY b, :v :dir", "5"),
    ] {
        assert!(with(text, value), "{text} with {value}");
    }
    for (text, value) in [
        ("SELECT a FROM t WHERE b = :v", "abc"),
        ("SELECT a FROM t WHERE b = :v", "2024-01-01"),
        ("SELECT a FROM t WHERE b IN (:v, :dir)", "abc"),
        ("SELECT a FROM t WHERE b = :v", "5"),
    ] {
        assert!(!with(text, value), "{text} with {value}");
    }
}

#[test]
fn settings_take_parameters_on_mysql_only() {
    for (kind, textual) in [(Kind::Postgres, true), (Kind::Mysql, false)] {
        let defined = [("n".to_string(), Value::Int(1))];
        let program = super::read("SET statement_timeout = :n;", kind, &defined, false).unwrap();
        assert_eq!(program.statements[0].parts.is_some(), textual, "{kind:?}");
    }
}

#[test]
fn a_line_goes_on_behind_a_backslash() {
    let program = read("\\set a 1 + \\\n  2\nSELECT :a;").unwrap();
    let Step::Set { expression, .. } = &program.steps[0] else {
        panic!("{:?}", program.steps);
    };
    let value = expression.value(&[], &mut base::rng::Rng::new(1, 1));
    assert_eq!(value, Ok(Value::Int(3)));
}

#[test]
fn mistakes_have_line_and_column() {
    let expected = [
        ("", "1:1: the file has no SQL statement"),
        ("-- only this\n", "1:1: the file has no SQL statement"),
        (
            "SELECT 1;\nSELECT :aid;",
            "2:8: no variable 'aid' here: \\set it before",
        ),
        ("SELECT 'a;", "1:8: nothing ends this quote"),
        ("\\set a 1 +\nSELECT 1;", "1:11: expected a number"),
        ("\\set a\nSELECT 1;", "1:1: \\set needs a value"),
        (
            "\\set 1a 2\nSELECT 1;",
            "1:1: \\set needs a variable's name",
        ),
        (
            "\\sett a 1\nSELECT 1;",
            "1:1: no command '\\sett'; there are \\set,",
        ),
        (
            "\\set a 1\n\\gset\n",
            "2:1: \\gset must follow a SQL statement",
        ),
        ("SELECT 1 \\gset a b\n", "1:10: \\gset takes one prefix"),
        (
            "SELECT 1 \\; SELECT 2 \\aset\n",
            "1:22: \\aset takes the rows of one statement",
        ),
        (
            "\\shell ls\nSELECT 1;",
            "1:1: \\shell runs a program within a transaction",
        ),
        ("SELECT 1 AS a \\gset x_\nSELECT :b", "2:8: no variable 'b'"),
        ("\\if 1\nSELECT 1;", "1:1: this \\if has no \\endif"),
        ("SELECT 1;\n\\endif", "2:1: \\endif without \\if"),
        (
            "\\if 1\n\\else\n\\else\n\\endif\nSELECT 1;",
            "3:1: \\else after \\else",
        ),
        ("\\sleep x\nSELECT 2;", "1:1: \\sleep needs a time"),
        (
            "\\setrandom a 1\nSELECT 2;",
            "1:1: \\setrandom needs two values",
        ),
    ];
    for (text, message) in expected {
        let found = mistake(text);
        assert!(found.starts_with(message), "{text}: {found}");
    }
}

#[test]
fn variables_are_known_only_behind_their_command() {
    assert!(mistake("SELECT :a;\n\\set a 1\n").starts_with("1:8"));
    assert!(read("\\set a 1\n\\set a :a + 1\nSELECT :a").is_ok());
}

/// The text that is sent with these values.
fn parts(text: &Text) -> Vec<&str> {
    let all = text.parts.iter().flatten();
    all.map(|part| match part {
        Part::Sql(sql) => sql.as_str(),
        Part::Value(_) | Part::Quoted(_) => ":",
    })
    .collect()
}

#[test]
fn statements_whose_variables_are_no_parameters_are_sent_as_texts() {
    for (sql, expected) in [
        ("SELECT * FROM t:scale", vec!["SELECT * FROM t", ":"]),
        ("SELECT * FROM :scale", vec!["SELECT * FROM ", ":"]),
        (
            "SELECT 'user :scale', 1",
            vec!["SELECT 'user ", ":", "', 1"],
        ),
        (
            "CREATE TABLE x (a char(:scale))",
            vec!["CREATE TABLE x (a char(", ":", "))"],
        ),
        ("SELECT 1 \\; SELECT 2 ;", vec!["SELECT 1 ; SELECT 2"]),
    ] {
        let program = read(sql).unwrap();
        assert_eq!(parts(&program.statements[0]), expected, "{sql}");
    }
    for sql in [
        "SELECT a FROM t WHERE b = :scale",
        "INSERT INTO t VALUES (:scale)",
        "SELECT '12:30'",
    ] {
        assert_eq!(read(sql).unwrap().statements[0].parts, None, "{sql}");
    }
}

#[test]
fn results_and_pauses_may_stand_anywhere() {
    let program = read(
        "SELECT 1 AS a, 2 AS b\n\\gset x_\n\\sleep :x_a ms\nSELECT :x_b;\nSELECT 3 AS c;\n\\aset\n\\sleep 1 s\n",
    )
    .unwrap();
    assert!(matches!(&program.statements[0].takes, Takes::OnlyRow(prefix) if prefix == "x_"));
    assert!(matches!(&program.statements[2].takes, Takes::LastRow(prefix) if prefix.is_empty()));
    assert!(matches!(program.steps[1], Step::Sleep { .. }));
    assert_eq!(program.sleep_after, Duration::from_secs(1));
    let within = read("SELECT 1;\n\\if 1\n\\sleep 1 s\n\\endif\n").unwrap();
    assert_eq!(within.sleep_after, Duration::ZERO);
    let varied = read("\\set s random(1, 2)\nSELECT 1;\n\\sleep :s ms\n").unwrap();
    assert_eq!(varied.sleep_after, Duration::ZERO);
}

#[test]
fn a_pipeline_is_one_text_up_to_each_synchronisation() {
    let program = read(
        "\\startpipeline\nBEGIN;\nUPDATE t SET a = :scale;\nCOMMIT;\n\\syncpipeline\nSELECT 1;\n\\endpipeline\n",
    )
    .unwrap();
    let texts: Vec<Vec<&str>> = program.statements.iter().map(parts).collect();
    assert_eq!(texts[0], ["BEGIN; UPDATE t SET a = ", ":", "; COMMIT"]);
    assert_eq!(program.statements[1].sql, "SELECT 1");
    for (text, message) in [
        (
            "\\startpipeline\nSELECT 1;",
            "1:1: this \\startpipeline has no",
        ),
        ("SELECT 1;\n\\endpipeline", "2:1: \\endpipeline without"),
        (
            "\\startpipeline\nSELECT 1 AS a \\gset\n\\endpipeline",
            "2:15: \\gset cannot stand in a pipeline",
        ),
    ] {
        let found = mistake(text);
        assert!(found.starts_with(message), "{text}: {found}");
    }
}

#[test]
fn a_command_ends_a_statement() {
    let program = read("SELECT 1\n\\set a 1\nSELECT :a\n").unwrap();
    assert_eq!(program.statements.len(), 2);
}

proptest! {
    #[test]
    fn survives_any_file(text in ".{0,80}|([-;:'\"$/*\\\\a1 \n]|\\\\set |\\\\if |\\\\endif|\\\\into |\\\\sleep |\\\\else|\\\\gset |\\\\startpipeline\n|\\\\endpipeline\n){0,40}") {
        for kind in [Kind::Mysql, Kind::Postgres, Kind::Noop] {
            let _ = super::read(&text, kind, &[], false);
        }
    }
}
