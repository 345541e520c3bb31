-- The connection is made while the file is read. A duplicate key is one failed event, which is caught.
local con = sysbench.sql.driver():connect()
local start = 42

function prepare()
   con:query("CREATE TABLE visits (id INTEGER PRIMARY KEY, place VARCHAR(20))")
end

function event()
   pcall(con.query, con, "INSERT INTO visits VALUES (" .. start .. ", 'x')")
   con:query("SELECT COUNT(*) FROM visits WHERE id = " .. start)
end

function cleanup()
   con:query("DROP TABLE IF EXISTS visits")
end
