-- Errors of which the script says that they may be ignored: the event begins anew.
function prepare()
   sysbench.sql.driver():connect():query("CREATE TABLE taken (id INTEGER PRIMARY KEY)")
end

function thread_init()
   con = sysbench.sql.driver():connect()
   next_id = 0
end

function sysbench.hooks.sql_error_ignorable(failure)
   return failure.sql_errno == 1062 or failure.sql_state == "23505"
end

function sysbench.hooks.before_restart_event(failure)
   next_id = next_id + 1
   con:query("SELECT " .. next_id)
end

function event()
   local ok, failure = pcall(con.query, con, "INSERT INTO taken VALUES (" .. next_id .. ")")
   if ok then
      -- the next event finds it taken
      return
   end
   assert(failure.errcode == sysbench.error.RESTART_EVENT)
   error({errcode = sysbench.error.RESTART_EVENT})
end

function cleanup()
   sysbench.sql.driver():connect():query("DROP TABLE IF EXISTS taken")
end
