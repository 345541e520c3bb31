-- What a caught error says: the script's line, the server's number and its SQLSTATE.
function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   state = drv:name() == "mysql" and "42S02" or "42P01"
end

function event()
   local ok, why = pcall(function()
      con:query("SELECT * FROM nowhere")
   end)
   assert(not ok and why:find("states.lua:10: SQL error, errno = ", 1, true), why)
   assert(why:find("state = '" .. state .. "'", 1, true), why)
   assert(require("ffi").string(con.sql_state) == state)
   con:query("SELECT 1")
end
