use super::*;
use sql_wire::{Class, Effect, Reply as Counts, Type, Value as Sent};
use std::path::PathBuf;
use workloads::client::{Note, Request};
use workloads::testing::{Called, calls, one_row, play};

/// A script in a separate folder.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder =
            std::env::temp_dir().join(format!("fivenines-lua-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (file, text) in files {
            std::fs::write(folder.join(file), text).unwrap();
        }
        Folder(folder)
    }

    fn load(&self, words: &[&str]) -> Result<Rc<LuaScript>> {
        self.load_for(Kind::Mysql, words)
    }

    fn load_for(&self, kind: Kind, words: &[&str]) -> Result<Rc<LuaScript>> {
        let pairs = words.iter().map(|word| word.split_once('=').unwrap());
        let given = pairs.map(|(name, value)| (name.into(), value.into()));
        load(&self.0.join("main.lua"), kind, &given.collect()).map(Rc::new)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn script(name: &str, text: &str) -> (Folder, Rc<LuaScript>) {
    let folder = Folder::new(name, &[("main.lua", text)]);
    let loaded = folder.load(&[]).unwrap();
    (folder, loaded)
}

const CONNECT: &str =
    "function thread_init() drv = sysbench.sql.driver(); con = drv:connect() end\n";

#[test]
fn prepared_statements_take_typed_parameters() {
    let text = format!(
        "#!/usr/bin/sysbench\n{CONNECT}
        function event()
          local t = sysbench.sql.type
          stmt = stmt or con:prepare('UPDATE t SET a=?, b=?, c=?, d=? WHERE id=?')
          local p = {{stmt:bind_create(t.INT), stmt:bind_create(t.DOUBLE), stmt:bind_create(t.VARCHAR, 4),
                     stmt:bind_create(t.CHAR, 9), stmt:bind_create(t.BIGINT)}}
          stmt:bind_param(unpack(p))
          p[1]:set(7.9); p[2]:set(1.5); p[3]:set('abcdefgh'); p[4]:set_rand_str('##-@'); p[5]:set(nil)
          stmt:execute()
        end"
    );
    let (_folder, loaded) = script("typed", &text);
    assert!(loaded.types[0].writes);
    let all = calls(loaded, 0, 1);
    assert_eq!(all.len(), 1);
    let Called {
        statement,
        values,
        texts,
    } = &all[0];
    assert_eq!(
        (statement.name.as_ref(), statement.effect),
        ("update", Effect::Write)
    );
    let types = [
        Type::BigInt,
        Type::Double,
        Type::Text,
        Type::Text,
        Type::BigInt,
    ];
    assert_eq!(*statement.types, types);
    assert_eq!(
        (values[0], values[1], values[4]),
        (Sent::BigInt(7), Sent::Double(1.5), Sent::Null)
    );
    assert_eq!((texts[0].as_str(), texts[1].len()), ("abcd", 4));
}

#[test]
fn rows_can_be_fetched_and_results_are_kept() {
    let text = format!(
        "{CONNECT}
        function event()
          local rs = con:query('SELECT a, b FROM t')
          local other = con:query_row('SELECT 9')
          local row = rs:fetch_row()
          assert(rs.nrows == 1 and rs.nfields == 2 and rs:fetch_row() == nil)
          con:query('UPDATE t SET a=' .. row[1] .. ', b=' .. tostring(row[2]) .. ', c=' .. other)
        end"
    );
    let (_folder, loaded) = script("rows", &text);
    let mut sent = Vec::new();
    let (_, result) = play(loaded, 0, 1, |called| {
        sent.push(called.statement.sql.clone());
        let fields = match sent.len() {
            1 => vec![vec!["5", "x"]],
            2 => vec![vec!["9"]],
            _ => Vec::new(),
        };
        Ok((one_row(), fields))
    });
    assert_eq!(result, Ok(End::Committed));
    assert_eq!(sent[2], "UPDATE t SET a=5, b=x, c=9");
}

#[test]
fn connections_do_not_share_globals_nor_random_numbers() {
    let text = format!(
        "count = 0\n{CONNECT}
        function event(tid)
          count = count + 1
          con:query('SELECT ' .. count .. ', ' .. sysbench.tid .. ', ' .. tid .. ', ' .. thread_id)
          con:query('SELECT ' .. sysbench.rand.uniform(1, 1000000000))
        end"
    );
    let (_folder, loaded) = script("globals", &text);
    let exchange = workloads::client::Exchange::new(Kind::Mysql, Vec::new());
    let clients =
        [0, 1].map(|number| Client::new(number, Rc::clone(&exchange), Rng::new(1, number as u64)));
    let mut sent = Vec::new();
    for _ in 0..2 {
        for client in &clients {
            sent.push(texts_of_event(&loaded, client, &exchange));
        }
    }
    assert_eq!(
        (sent[0][0].as_str(), sent[1][0].as_str()),
        ("SELECT 1, 0, 0, 0", "SELECT 1, 1, 1, 1")
    );
    assert_eq!(
        (sent[2][0].as_str(), sent[3][0].as_str()),
        ("SELECT 2, 0, 0, 0", "SELECT 2, 1, 1, 1")
    );
    assert_ne!(sent[0][1], sent[1][1]);
    let expected = Rng::new(1, 0).uniform(1, 1_000_000_000);
    assert_eq!(sent[0][1], format!("SELECT {expected}"));
}

/// Runs one event and gives the texts that it sent.
fn texts_of_event(
    script: &Rc<LuaScript>,
    client: &Rc<Client>,
    exchange: &Rc<workloads::client::Exchange>,
) -> Vec<String> {
    use std::task::{Context, Waker};
    let mut running = Rc::clone(script).run(0, Rc::clone(client));
    let (mut texts, mut notes) = (Vec::new(), Vec::new());
    let context = &mut Context::from_waker(Waker::noop());
    while running.as_mut().poll(context).is_pending() {
        match exchange.take_request().expect("a request") {
            Request::Note(note) => notes.push(note),
            Request::Pause(ns) => texts.push(format!("pause {ns}")),
            _ => texts.push(String::from_utf8_lossy(&exchange.sql.borrow()).into_owned()),
        }
        exchange.answer(Ok(one_row()));
    }
    texts
}

#[test]
fn a_lost_transaction_leaves_a_connection_that_goes_on() {
    let text = format!(
        "{CONNECT}
        function sysbench.hooks.before_restart_event(e) con:query('SELECT ' .. e.sql_errno) end
        function event() con:query('SELECT 1'); con:query('SELECT 2') end"
    );
    let (_folder, loaded) = script("lost", &text);
    let exchange = workloads::client::Exchange::new(Kind::Mysql, Vec::new());
    let client = Client::new(0, Rc::clone(&exchange), Rng::new(1, 0));
    let mut running = Rc::clone(&loaded).run(0, Rc::clone(&client));
    let context = &mut std::task::Context::from_waker(std::task::Waker::noop());
    assert!(running.as_mut().poll(context).is_pending());
    assert!(exchange.take_request().is_some());
    drop(running);
    let texts = texts_of_event(&loaded, &client, &exchange);
    assert_eq!(texts, ["SELECT 2013", "SELECT 1", "SELECT 2"]);
}

fn deadlock() -> Failure {
    Failure::new(Class::Deadlock, "1213", "Deadlock found")
}

#[test]
fn a_failed_statement_ends_the_transaction_with_its_failure() {
    let text = format!(
        "{CONNECT}
        function event()
          con:query('BEGIN')
          con:query('UPDATE t SET a=1')
          con:query('COMMIT')
        end"
    );
    let (_folder, loaded) = script("failed", &text);
    for failure in [
        deadlock(),
        Failure::new(Class::MissingTable, "1146", "no table"),
    ] {
        let (all, result) = play(
            Rc::clone(&loaded) as Rc<dyn Workload>,
            0,
            1,
            |called| match called.statement.sql.starts_with("UPDATE") {
                true => Err(failure.clone()),
                false => Ok((Counts::default(), Vec::new())),
            },
        );
        assert_eq!((all.len(), result), (2, Err(failure.clone())));
    }
}

#[test]
fn scripts_may_catch_failures_and_downgrade_them() {
    let text = format!(
        "{CONNECT}
        function sysbench.hooks.sql_error_ignorable(e) return e.sql_errno == 1146 end
        function event()
          local ok, e = pcall(con.query, con, 'DELETE FROM t')
          assert(not ok and e.errcode == sysbench.error.RESTART_EVENT and e.sql_errmsg == 'no table')
          con:query('SELECT ' .. e.sql_errno)
        end"
    );
    let (_folder, loaded) = script("caught", &text);
    let (all, result) = play(loaded, 0, 1, |called| match called.statement.sql.as_str() {
        "DELETE FROM t" => Err(Failure::new(Class::MissingTable, "1146", "no table")),
        _ => Ok((one_row(), Vec::new())),
    });
    assert_eq!((all.len(), result), (2, Ok(End::Committed)));
    assert_eq!(all[1].statement.sql, "SELECT 1146");
}

#[test]
fn errors_of_the_script_have_file_and_line() {
    let (folder, loaded) = script(
        "wrong",
        &format!("{CONNECT}function event()\n  con:query('SELECT 1')\n  local x = nil + 1\nend"),
    );
    let (_, result) = play(loaded, 0, 1, |_| Ok((one_row(), Vec::new())));
    let message = result.unwrap_err().message;
    let place = format!(
        "{}:4: attempt to perform arithmetic",
        folder.0.join("main.lua").display()
    );
    assert!(message.starts_with(&place), "{message}");
    let refused = |text: &str| {
        let folder = Folder::new("refused", &[("main.lua", text)]);
        folder.load(&[]).err().unwrap()
    };
    for (text, part) in [
        ("function event(", "main.lua:1:"),
        ("x = y.z", "main.lua:1: attempt to index"),
        ("x = 1", "the script has no function event()"),
        (
            "require('nosuchmodule') function event() end",
            "module 'nosuchmodule' not found",
        ),
    ] {
        let error = refused(text);
        assert!(
            error.to_string().contains(part) && error.is::<Usage>(),
            "{error}"
        );
    }
}

#[test]
fn modules_are_found_beside_the_script_and_see_its_globals() {
    let folder = Folder::new(
        "module",
        &[
            (
                "main.lua",
                "require('common')\nfunction event() con:query(sql()) end\n",
            ),
            (
                "common.lua",
                &format!(
                    "sysbench.cmdline.options = {{n = {{'N', 1}}}}\n{CONNECT}function sql() return 'SELECT ' .. sysbench.opt.n end"
                ),
            ),
        ],
    );
    let loaded = folder.load(&["n=5"]).unwrap();
    assert!(!loaded.types[0].writes);
    let all = calls(loaded, 0, 1);
    assert_eq!(all[0].statement.sql, "SELECT 5");
    let error = folder.load(&["m=5"]).err().unwrap();
    assert!(
        error
            .to_string()
            .contains("the script has no option --m; it has --n"),
        "{error}"
    );
}

#[test]
fn bulk_inserts_are_sent_when_enough_is_together() {
    let text = format!(
        "{CONNECT}
        function event()
          con:bulk_insert_init('INSERT INTO t VALUES')
          for i = 1, 3000 do con:bulk_insert_next('(' .. string.rep('1', 398) .. ')') end
          con:bulk_insert_done()
        end"
    );
    let (_folder, loaded) = script("bulk", &text);
    let all = calls(loaded, 0, 1);
    let rows: Vec<usize> = all
        .iter()
        .map(|called| called.statement.sql.matches("(1").count())
        .collect();
    assert_eq!(rows.iter().sum::<usize>(), 3000);
    assert_eq!(rows.len(), 3);
    assert!(
        all.iter()
            .all(|called| called.statement.sql.len() <= 512 * 1024)
    );
}

#[test]
fn an_event_can_ask_for_the_end() {
    let (_folder, loaded) = script(
        "end",
        &format!("{CONNECT}function event() con:query('SELECT 1') return true end"),
    );
    let exchange = workloads::client::Exchange::new(Kind::Mysql, Vec::new());
    let client = Client::new(0, Rc::clone(&exchange), Rng::new(1, 0));
    assert_eq!(loaded.pick(&client), Some(0));
    texts_of_event(&loaded, &client, &exchange);
    assert_eq!(loaded.pick(&client), None);
}

#[test]
fn the_same_seed_asks_the_same() {
    let text = format!(
        "{CONNECT}function event() for i = 1, 5 do con:query('SELECT ' .. sysbench.rand.default(1, 1000000)) end end"
    );
    let (_folder, loaded) = script("seed", &text);
    let sent = |seed| -> Vec<String> {
        let all = calls(Rc::clone(&loaded) as Rc<dyn Workload>, 0, seed);
        all.into_iter().map(|called| called.statement.sql).collect()
    };
    assert_eq!(sent(1), sent(1));
    assert_ne!(sent(1), sent(2));
}

mod c_api;
mod libraries;
mod sessions;
