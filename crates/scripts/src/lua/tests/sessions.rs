//! Connections of a script, and the statements for their new sessions.

use super::*;
use workloads::client::Exchange;

/// A separate client for a script.
fn client_of(script: &Rc<LuaScript>) -> (Rc<Exchange>, Rc<Client>) {
    script.expect(&RunFacts::default());
    let exchange = Exchange::new(Kind::Postgres, Vec::new());
    let client = Client::new(0, Rc::clone(&exchange), Rng::new(1, 0));
    (exchange, client)
}

#[test]
fn a_failure_on_a_connection_of_the_main_chunk_is_one_failed_transaction() {
    let text = "
        local con = sysbench.sql.driver():connect()
        function event() con:query('INSERT INTO t VALUES (1)') end";
    let (_folder, loaded) = script("main", text);
    let taken = Failure::new(Class::Constraint, "23505", "duplicate key");
    let (all, result) = play(loaded, 0, 1, |_| Err(taken.clone()));
    assert_eq!((all.len(), result), (1, Err(taken)));
}

#[test]
fn the_main_chunk_may_ask_the_server() {
    let text = "
        con = sysbench.sql.driver():connect()
        con:query('SET x = 1')
        rows = con:query_row('SELECT COUNT(*) FROM t') + 1
        function event() con:query('SELECT ' .. rows) end";
    let (_folder, loaded) = script("asks", text);
    let answers = |called: &Called| match called.statement.sql.as_str() {
        "SELECT COUNT(*) FROM t" => Ok((one_row(), vec![vec!["4"]])),
        _ => Ok((one_row(), Vec::new())),
    };
    let (all, result) = play(loaded, 0, 1, answers);
    assert_eq!(result, Ok(End::Committed));
    assert_eq!(all[2].statement.sql, "SELECT 5");
}

#[test]
fn settings_of_thread_init_are_kept_for_new_sessions() {
    let text = "
        function thread_init()
          con = sysbench.sql.driver():connect()
          con:query('SET search_path = public')
          con:query('INSERT INTO t VALUES (1)')
          pcall(con.query, con, 'SET nonsense = 1')
          con:prepare('SET lock_timeout = 5'):execute()
        end
        function event() con:query('SET a = 1') end";
    let folder = Folder::new("kept", &[("main.lua", text)]);
    let loaded = folder.load_for(Kind::Postgres, &[]).unwrap();
    let (exchange, client) = client_of(&loaded);
    let mut running = Rc::clone(&loaded).run(0, client);
    let context = &mut std::task::Context::from_waker(std::task::Waker::noop());
    let mut kept = Vec::new();
    while running.as_mut().poll(context).is_pending() {
        let request = exchange.take_request().unwrap();
        let sql = String::from_utf8_lossy(&exchange.sql.borrow()).into_owned();
        if request == Request::Note(Note::KeepSetting) {
            kept.push(sql.clone());
        }
        let refused = matches!(request, Request::Text { .. }) && sql.contains("nonsense");
        exchange.answer(match refused {
            true => Err(Failure::new(Class::Other, "42704", "unknown")),
            false => Ok(one_row()),
        });
    }
    assert_eq!(kept, ["SET search_path = public", "SET lock_timeout = 5"]);
}

#[test]
fn a_connection_that_follows_another_begins_without_its_settings() {
    let text = "
        function event()
          local con = sysbench.sql.driver():connect()
          con:query('SELECT 1')
          con:disconnect()
        end";
    let (_folder, loaded) = script("follows", text);
    let (exchange, client) = client_of(&loaded);
    assert_eq!(texts_of_event(&loaded, &client, &exchange), ["SELECT 1"]);
    // what is asked before is to connect again
    let second = texts_of_event(&loaded, &client, &exchange);
    assert_eq!((second.len(), second[1].as_str()), (2, "SELECT 1"));
}

#[test]
fn an_event_may_restart_itself() {
    let text = format!(
        "{CONNECT}
        function sysbench.hooks.before_restart_event(e) con:query('SELECT ' .. e.why) end
        function event()
          again = not again
          if again then error({{errcode = sysbench.error.RESTART_EVENT, why = 7}}) end
          con:query('SELECT 1')
        end"
    );
    let (_folder, loaded) = script("restart", &text);
    let all = calls(loaded, 0, 1);
    let texts: Vec<&str> = all.iter().map(|one| one.statement.sql.as_str()).collect();
    assert_eq!(texts, ["SELECT 7", "SELECT 1"]);
}

#[test]
fn a_failure_in_words_of_the_scripts_is_still_the_servers() {
    let text = format!(
        "{CONNECT}
        function event()
          local ok, why = pcall(con.query, con, 'SELECT 1')
          if not ok then error('event: ' .. tostring(why.sql_errmsg or why), 0) end
        end"
    );
    let (_folder, loaded) = script("words", &text);
    for failure in [
        deadlock(),
        Failure::new(Class::MissingTable, "1146", "no table"),
    ] {
        let (_, result) = play(Rc::<LuaScript>::clone(&loaded), 0, 1, |_| {
            Err(failure.clone())
        });
        assert_eq!(result, Err(failure.clone()));
    }
}

#[test]
fn statements_can_be_sent_as_text_with_their_values() {
    let text = format!(
        "{CONNECT}
        function event()
          local t = sysbench.sql.type
          local stmt = con:prepare('UPDATE t SET a=?, b=?, c=? WHERE d=?')
          local p = {{stmt:bind_create(t.INT), stmt:bind_create(t.DOUBLE), stmt:bind_create(t.CHAR, 9),
                     stmt:bind_create(t.INT)}}
          stmt:bind_param(unpack(p))
          p[1]:set(7); p[2]:set(1.5); p[3]:set(\"it's\")
          stmt:execute()
        end"
    );
    let folder = Folder::new("emulated", &[("main.lua", &text)]);
    let loaded = folder.load(&["db-ps-mode=disable"]).unwrap();
    let all = calls(loaded, 0, 1);
    let expected = "UPDATE t SET a=7, b=1.500000, c='it''s' WHERE d=NULL";
    assert_eq!(all[0].statement.sql, expected);
}

#[test]
fn after_an_ignored_error_on_postgres_the_transaction_is_rolled_back() {
    let text = format!(
        "{CONNECT}
        function event()
          con:query('BEGIN')
          pcall(con.query, con, 'INSERT INTO t VALUES (1)')
          con:query('SELECT 1')
        end"
    );
    let folder = Folder::new("ignored", &[("main.lua", &text)]);
    let loaded = folder.load_for(Kind::Postgres, &[]).unwrap();
    let (all, result) = play(loaded, 0, 1, |called| {
        match called.statement.sql.starts_with("INSERT") {
            true => Err(Failure::new(Class::Constraint, "23505", "duplicate key")),
            false => Ok((one_row(), Vec::new())),
        }
    });
    let sent: Vec<&str> = all.iter().map(|one| one.statement.sql.as_ref()).collect();
    assert_eq!(
        sent,
        ["BEGIN", "INSERT INTO t VALUES (1)", "ROLLBACK", "SELECT 1"]
    );
    assert_eq!(result, Ok(End::Committed));
}
