-- A script whose rows are there already: sysbench ends with the server's error.

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE dup1 (id INT PRIMARY KEY)")
   con:query("INSERT INTO dup1 VALUES (1)")
end

function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   con:query("INSERT INTO dup1 VALUES (1)")
end

function cleanup()
   local con = sysbench.sql.driver():connect()
   con:query("DROP TABLE IF EXISTS dup1")
end
