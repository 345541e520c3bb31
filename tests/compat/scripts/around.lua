-- init() and done() of the whole run: the table is there while its events are.

function init()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE around1 (id INT PRIMARY KEY)")
end

function thread_init()
   con = sysbench.sql.driver():connect()
   written = 0
end

function event()
   con:query("INSERT INTO around1 VALUES (" .. written .. ")")
   written = written + 1
end

function done()
   local con = sysbench.sql.driver():connect()
   con:query("DELETE FROM around1")
   con:query("DROP TABLE around1")
end
