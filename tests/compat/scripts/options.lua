-- What sysbench.opt has of sysbench's own options, and of the script's.
sysbench.cmdline.options = {
   rows = {"Rows of the table", 100}, names = {"Some names", {"a", "b"}}, whole = {"Whether all", false},
   size = {"A size", "2K", sysbench.cmdline.ARG_SIZE},
   even = {"An even number", 2, sysbench.cmdline.ARG_INT, function(name, value) return tonumber(value) % 2 == 0 end}
}

function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   local opt = sysbench.opt
   assert(opt.threads == 1 and opt.rate == 0 and opt.report_interval == 0 and opt.percentile == 95)
   assert(opt.rand_type == "special" and opt.histogram == false and opt.debug == false and opt.tx_rate == 0)
   assert(opt.mysql_db == "sbtest" and opt.pgsql_db == "sbtest" and opt.db_ps_mode == "auto")
   assert(type(opt.mysql_host) == "table" and type(opt.mysql_ignore_errors) == "table")
   assert(opt.rows == 100 and #opt.names == 2 and opt.whole == false and opt.size == 2048 and opt.even == 2)
   assert(type(debug.traceback) == "function" and sysbench.cmdline.command == "run")
   con:query("SELECT " .. opt.rows)
end
