-- Rows that are sent when enough are together.
sysbench.cmdline.commands = {
   prepare = {function() fill() end, sysbench.cmdline.PARALLEL_COMMAND},
   count = {function() print(sysbench.sql.driver():connect():query_row("SELECT COUNT(*) FROM bulk0")) end}
}

function fill()
   local con = sysbench.sql.driver():connect()
   local name = "bulk" .. sysbench.tid
   con:query("CREATE TABLE " .. name .. " (id INTEGER PRIMARY KEY, pad VARCHAR(500))")
   con:bulk_insert_init("INSERT INTO " .. name .. " (id, pad) VALUES")
   for id = 1, 2000 do con:bulk_insert_next(("(%d, '%s')"):format(id, ("x"):rep(400))) end
   con:bulk_insert_done()
end

function thread_init()
   con = sysbench.sql.driver():connect()
   last = 2000
end

function event()
   con:bulk_insert_init("INSERT INTO bulk0 VALUES")
   for _ = 1, 3 do
      last = last + 1
      con:bulk_insert_next("(" .. last .. ", 'y')")
   end
   con:bulk_insert_done()
end

function cleanup()
   local con = sysbench.sql.driver():connect()
   for table = 0, sysbench.opt.threads - 1 do con:query("DROP TABLE IF EXISTS bulk" .. table) end
end
