-- Rows, fields, and nothing at all.
function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   local rs = con:query("SELECT 1, 'two', NULL UNION ALL SELECT 3, 'four', NULL ORDER BY 1")
   assert(rs.nrows == 2 and rs.nfields == 3)
   local first, second = rs:fetch_row(), rs:fetch_row()
   assert(first[1] == "1" and first[2] == "two" and first[3] == nil and second[2] == "four")
   rs:free()
   local number, word = con:query_row("SELECT 5, 'six'")
   assert(tonumber(number) == 5 and word == "six")
   assert(con:query_row("SELECT 1 FROM (SELECT 1 AS a) AS t WHERE a = 2") == nil)
end
