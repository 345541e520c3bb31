-- Commits in batches: a transaction stays open from one event to the next.

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE kept1 (id INT PRIMARY KEY)")
end

function thread_init()
   con = sysbench.sql.driver():connect()
   written = 0
end

function event()
   if written % 5 == 0 then
      con:query("BEGIN")
   end
   con:query("INSERT INTO kept1 VALUES (" .. written .. ")")
   written = written + 1
   if written % 5 == 0 then
      con:query("COMMIT")
   end
end

function cleanup()
   local con = sysbench.sql.driver():connect()
   con:query("DROP TABLE IF EXISTS kept1")
end
