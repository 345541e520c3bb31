-- Settings of the session, made once, are in effect in each event.
function thread_init()
   con = sysbench.sql.driver():connect()
   if sysbench.opt.db_driver == "pgsql" then
      con:query("SET search_path = pg_catalog")
      seen = "SELECT current_setting('search_path')"
      wanted = "pg_catalog"
   else
      con:query("SET @@session.lock_wait_timeout = 123")
      seen = "SELECT @@session.lock_wait_timeout"
      wanted = "123"
   end
end

function event()
   assert(con:query_row(seen) == wanted)
end
