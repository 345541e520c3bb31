-- An event that asks nothing and keeps its thread busy for a moment, as scripts for idle connections do.
function thread_init()
   con = sysbench.sql.driver():connect()
   con:query("SELECT 1")
end

function event()
   local since = os.clock()
   while os.clock() - since < 0.002 do end
end

function thread_done()
   con:disconnect()
end
