//! What sysbench exports below its Lua API, by scripts that use it.

use super::*;
use workloads::client::Exchange;

/// A script that does its work below sysbench's Lua API, as some of third parties do.
const BELOW: &str = "
    local ffi = require('ffi')
    ffi.cdef[[
    void sb_counter_inc(int thread_id, sb_counter_type type);
    void sb_event_start(int thread_id);
    void sb_event_stop(int thread_id);
    uint32_t sb_rand_uniform(uint32_t, uint32_t);
    void sb_rand_str(const char *, char *);
    ]]
    function thread_init()
      drv = ffi.C.db_create(nil)
      con = ffi.C.db_connection_create(drv)
      local sql = 'UPDATE t SET a=?, b=?, c=? WHERE d=?'
      stmt = ffi.C.db_prepare(con, sql, #sql)
      held = {number = ffi.new('int64_t[1]'), double = ffi.new('double[1]'), text = ffi.new('char[?]', 8),
              length = ffi.new('unsigned long[1]'), null = ffi.new('char[1]', 1), not_null = ffi.new('char[1]')}
      local binds = ffi.new('sql_bind[4]')
      local function bind(i, kind, buffer, null)
        binds[i].type, binds[i].buffer, binds[i].is_null = kind, buffer, null
        binds[i].data_len, binds[i].max_len = held.length, 8
      end
      bind(0, ffi.C.SQL_TYPE_BIGINT, held.number, held.not_null)
      bind(1, ffi.C.SQL_TYPE_DOUBLE, held.double, held.not_null)
      bind(2, ffi.C.SQL_TYPE_VARCHAR, held.text, held.not_null)
      bind(3, ffi.C.SQL_TYPE_INT, held.number, held.null)
      assert(ffi.C.db_bind_param(stmt, binds, 4) == 0)
    end
    function event()
      assert(ffi.C.sb_rand_uniform(5, 5) == 5)
      held.number[0], held.double[0] = 9007199254740993LL, 2.5
      ffi.C.sb_rand_str('##-@@', held.text)
      held.length[0] = 5
      assert(ffi.C.db_execute(stmt) ~= nil)
      ffi.C.sb_counter_inc(sysbench.tid, ffi.C.SB_CNT_ERROR)
      ffi.C.sb_counter_inc(sysbench.tid, ffi.C.SB_CNT_READ)
    end";

#[test]
fn functions_of_c_are_there_with_their_effect() {
    let (_folder, loaded) = script("below", BELOW);
    loaded.expect(&RunFacts::default());
    let all = calls(Rc::<LuaScript>::clone(&loaded), 0, 1);
    assert_eq!(all.len(), 1);
    let Called { values, texts, .. } = &all[0];
    assert_eq!(
        (values[0], values[1], values[3]),
        (
            Sent::BigInt(9_007_199_254_740_993),
            Sent::Double(2.5),
            Sent::Null
        )
    );
    assert_eq!(texts[0].len(), 5);
    assert_eq!(loaded.counted(), [("error", 1), ("read", 1)].into());
}

#[test]
fn a_loop_of_the_scripts_own_ends_events_and_comes_to_its_end() {
    let text = format!(
        "{CONNECT}
        function thread_run(tid)
          while ffi.C.sb_more_events(tid) do
            ffi.C.sb_event_start(tid)
            con:query('SELECT 1')
            ffi.C.sb_event_stop(tid)
          end
          ffi.C.sb_counter_inc(tid, ffi.C.SB_CNT_OTHER)
        end
        function event() error('sysbench has its own loop') end"
    );
    let (_folder, loaded) = script("loop", &text);
    loaded.expect(&RunFacts::default());
    let exchange = Exchange::new(Kind::Mysql, Vec::new());
    let client = Client::new(0, Rc::clone(&exchange), Rng::new(1, 0));
    for _ in 0..3 {
        assert_eq!(texts_of_event(&loaded, &client, &exchange), ["SELECT 1"]);
    }
    assert_eq!(loaded.counted(), [].into());
    loaded.finish(&mut || Err(Failure::lost())).unwrap();
    assert_eq!(loaded.counted(), [("other", 1)].into());
}

#[test]
fn a_failed_query_gives_null_and_the_error_in_the_connection() {
    let text = format!(
        "{CONNECT}
        function event()
          local rs = ffi.C.db_query(con, 'SELECT x', 8)
          assert(rs == nil and con.error == ffi.C.DB_ERROR_FATAL)
          assert(con.sql_errno == 1054 and ffi.string(con.sql_errmsg) == 'unknown column')
          local ok, problem = pcall(con.check_error, con, rs, 'SELECT x')
          assert(not ok and problem:find('errno = 1054'))
          rs = ffi.C.db_query(con, 'SELECT name FROM t', 18)
          local row = ffi.C.db_fetch_row(rs)
          assert(ffi.string(row.values[0].ptr, row.values[0].len) == 'seven')
          assert(ffi.C.db_fetch_row(rs) == nil and ffi.C.db_free_results(rs) == 0)
        end"
    );
    let (_folder, loaded) = script("null", &text);
    let unknown = Failure::new(Class::Other, "1054", "unknown column");
    let mut answers = vec![Ok((one_row(), vec![vec!["seven"]])), Err(unknown)];
    let (_, result) = play(loaded, 0, 1, |_| answers.pop().unwrap());
    assert_eq!(result, Ok(End::Committed));
}

#[test]
fn functions_of_sysbench_0_5_are_still_there() {
    let text = "
        function event()
          stmt = stmt or db_prepare('UPDATE t SET a=? WHERE b=?')
          local values = {1, 'x'}
          db_bind_param(stmt, values)
          values[1] = 7
          db_execute(stmt)
          db_query('SELECT 1')
        end";
    let (_folder, loaded) = script("older", text);
    let all = calls(loaded, 0, 1);
    assert_eq!(all[0].values[0], Sent::BigInt(7));
    assert_eq!(all[0].texts, ["x"]);
    assert_eq!(all[1].statement.sql, "SELECT 1");
}

#[test]
fn options_can_be_declared_through_c() {
    let text = "
        local ffi = require('ffi')
        local args = ffi.new('sb_arg_t[1]')
        args[0].name, args[0].desc, args[0].value = 'rows', 'Rows', '10'
        args[0].type = ffi.C.SB_ARG_TYPE_INT
        assert(ffi.C.sb_lua_set_test_args(args, 1) == 0)
        function event() sysbench.sql.driver():connect():query('SELECT ' .. sysbench.opt.rows) end";
    let folder = Folder::new("declared", &[("main.lua", text)]);
    let sent = |words: &[&str]| {
        let all = calls(folder.load(words).unwrap(), 0, 1);
        all[0].statement.sql.to_string()
    };
    assert_eq!(sent(&[]), "SELECT 10");
    assert_eq!(sent(&["rows=5"]), "SELECT 5");
}
