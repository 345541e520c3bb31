//! What scripts find of Lua's own libraries, and functions that sleep.

use super::*;

#[test]
fn modules_are_found_where_the_script_says() {
    let main = "
        package.path = package.path .. ';./lib/?.lua'
        local shop = require('parts.shop')
        assert(require('parts.shop') == shop and package.loaded['parts.shop'] == shop)
        require('older')
        dofile('more.lua')
        function event() con:query(shop.one .. older.two() .. more) end";
    let folder = Folder::new(
        "path",
        &[
            ("main.lua", main),
            (
                "older.lua",
                "module('older', package.seeall) function two() return tostring(2) end",
            ),
            ("more.lua", &format!("{CONNECT} more = ', 3'")),
        ],
    );
    std::fs::create_dir_all(folder.0.join("lib/parts")).unwrap();
    let shop = "return {one = 'SELECT 1, '}";
    std::fs::write(folder.0.join("lib/parts/shop.lua"), shop).unwrap();
    let all = calls(folder.load(&[]).unwrap(), 0, 1);
    assert_eq!(all[0].statement.sql, "SELECT 1, 2, 3");
}

#[test]
fn a_missing_module_is_reported_with_its_place_and_the_folders() {
    let text =
        "\npackage.path = package.path .. ';./lib/?.lua'\nrequire('shop')\nfunction event() end";
    let folder = Folder::new("absent", &[("main.lua", text)]);
    let error = folder.load(&[]).err().unwrap().to_string();
    assert!(
        error.contains("main.lua:3: module 'shop' not found in"),
        "{error}"
    );
    assert!(
        error.contains(";./lib/?.lua") && !error.contains('\n'),
        "{error}"
    );
}

#[test]
fn options_hide_no_library() {
    let text = format!(
        "{CONNECT}
        function event()
          assert(type(debug.traceback) == 'function' and type(time) == 'number' and help == false)
          assert(sysbench.opt.debug == false and mysql_table_engine == 'innodb')
          con:query('SELECT ' .. mysql_db)
        end
        function threads() end"
    );
    let (_folder, loaded) = script("hidden", &text);
    assert_eq!(calls(loaded, 0, 1)[0].statement.sql, "SELECT sbtest");
}

#[test]
fn options_of_sysbench_have_its_defaults_and_what_the_run_says() {
    let text = format!(
        "{CONNECT}
        sysbench.cmdline.options = {{n = {{'N', 1}}}}
        function event()
          local o = sysbench.opt
          con:query(table.concat({{o.threads, o.events, o.time, o.rate, o.rand_seed, o.percentile, o.rand_type,
            tostring(o.histogram), o.pgsql_db, o.pgsql_port, o.mysql_host[1], #o.mysql_ignore_errors, o.db_driver,
            o.forced_shutdown, o.thread_stack_size}}, ' '))
        end"
    );
    let folder = Folder::new("general", &[("main.lua", &text)]);
    let loaded = folder
        .load_for(Kind::Postgres, &["rand-type=uniform"])
        .unwrap();
    loaded.expect(&RunFacts {
        clients: 3,
        seed: 9,
        seconds: 60.0,
        transactions: 500,
        rate: 10.0,
        account: workloads::Account {
            port: 5433,
            database: "shop".to_string(),
            ..Default::default()
        },
        ..RunFacts::default()
    });
    let all = calls(loaded, 0, 1);
    let expected = "3 500 60 10 9 95 uniform false shop 5433 localhost 3 pgsql off 65536";
    assert_eq!(all[0].statement.sql, expected);
}

#[test]
fn functions_that_sleep_are_pauses_of_the_connection() {
    let text = format!(
        "ffi.cdef[[
        int usleep(unsigned int);
        struct timespec {{ long tv_sec; long tv_nsec; }};
        int nanosleep(const struct timespec *req, struct timespec *rem);
        int clock_nanosleep(int, int, const struct timespec *, struct timespec *);
        int poll(struct pollfd *fds, unsigned long nfds, int timeout);
        int getpid();
        ]]
        {CONNECT}
        local usleep = ffi.C.usleep
        function event()
          assert(ffi.C.getpid() > 0)
          usleep(1500)
          ffi.C.nanosleep(ffi.new('struct timespec', {{tv_sec = 0, tv_nsec = 2500000}}), nil)
          ffi.C.clock_nanosleep(1, 0, ffi.new('struct timespec', {{0, 3000000}}), nil)
          ffi.C.poll(nil, 0, 4)
          assert(ffi.C.sleep(2) == 0)
          assert(os.execute('sleep 0.5') == 0)
          ffi.load('c.so.6').usleep(0)
          con:query('SELECT 1')
        end"
    );
    let (_folder, loaded) = script("sleeps", &text);
    let all = calls(loaded, 0, 1);
    let texts: Vec<&str> = all.iter().map(|one| one.statement.sql.as_str()).collect();
    let pauses = [
        1_500_000,
        2_500_000,
        3_000_000,
        4_000_000,
        2_000_000_000,
        500_000_000u64,
    ];
    let mut expected: Vec<String> = pauses.map(|ns| format!("pause for {ns} ns")).to_vec();
    expected.push("SELECT 1".to_string());
    assert_eq!(texts, expected);
}

#[test]
fn statements_work_in_coroutines_of_the_scripts_own() {
    let text = format!(
        "{CONNECT}
        local function ids()
          for id = 1, 2 do
            con:query('SELECT ' .. id)
            coroutine.yield(id * 10)
          end
        end
        function event()
          for found in coroutine.wrap(ids) do con:query('SELECT ' .. found) end
          local co = coroutine.create(function() con:query('SELECT 3') error('own') end)
          local ok, why = coroutine.resume(co)
          assert(not ok and why:find('own') and coroutine.status(co) == 'dead')
        end"
    );
    let (_folder, loaded) = script("coroutines", &text);
    let all = calls(loaded, 0, 1);
    let texts: Vec<&str> = all.iter().map(|one| one.statement.sql.as_str()).collect();
    let expected = ["SELECT 1", "SELECT 10", "SELECT 2", "SELECT 20", "SELECT 3"];
    assert_eq!(texts, expected);
}

#[test]
fn a_script_that_is_tried_out_leaves_its_surroundings_alone() {
    let folder = Folder::new("tried", &[]);
    let marks = folder.0.join("marks");
    let text = format!(
        "{CONNECT}
        function event()
          con:query('SELECT 1')
          os.execute('echo x >> {0}')
          io.open('{0}', 'a'):close()
          ffi.C.usleep(1000000)
        end",
        marks.display()
    );
    std::fs::write(folder.0.join("main.lua"), text).unwrap();
    let loaded = folder.load(&[]).unwrap();
    assert!(!loaded.types[0].writes && !marks.exists());
    calls(Rc::<LuaScript>::clone(&loaded), 0, 1);
    assert_eq!(std::fs::read_to_string(&marks).unwrap(), "x\n");
}

#[test]
fn the_time_that_a_script_takes_itself_is_known() {
    let text = format!(
        "{CONNECT}
        function event() con:query('SELECT 1') os.execute('true && sleep 0.05') end"
    );
    let (_folder, loaded) = script("held", &text);
    loaded.expect(&RunFacts::default());
    assert!(loaded.held_up().is_none());
    calls(Rc::<LuaScript>::clone(&loaded), 0, 1);
    let held_up = loaded.held_up().unwrap();
    assert_eq!(
        (held_up.count, held_up.by),
        (1, vec!["os.execute".to_string()])
    );
    assert!(held_up.script.ends_with("main.lua"));
}
