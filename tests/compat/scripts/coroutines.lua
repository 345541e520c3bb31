-- Statements within a coroutine of the script's own.
function thread_init()
   con = sysbench.sql.driver():connect()
   numbers = coroutine.wrap(function()
      local last = 0
      while true do
         last = last + tonumber((con:query_row("SELECT 2")))
         coroutine.yield(last)
      end
   end)
end

function event()
   con:query("SELECT " .. numbers())
end
