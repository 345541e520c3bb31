-- Texts of statements with any bytes, as MySQL takes them in binary columns; PostgreSQL takes UTF-8 alone.

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE bytes1 (v VARCHAR(100))")
end

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
end

function event()
   local hex = "c3a9"
   if drv:name() == "mysql" then
      hex = con:query_row("SELECT HEX('" .. string.rep("\200\255", 3) .. "')")
   end
   if hex == "C8FFC8FFC8FF" or drv:name() ~= "mysql" then
      con:query("INSERT INTO bytes1 VALUES ('caf\195\169')")
   else
      con:query("DELETE FROM bytes1")
   end
end

function cleanup()
   local con = sysbench.sql.driver():connect()
   con:query("DROP TABLE IF EXISTS bytes1")
end
