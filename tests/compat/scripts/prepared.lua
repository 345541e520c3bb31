-- Prepared statements with parameters of several types.
function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE notes (id INTEGER, amount INTEGER, note VARCHAR(20))")
end

function thread_init()
   local t = sysbench.sql.type
   con = sysbench.sql.driver():connect()
   add = con:prepare("INSERT INTO notes VALUES (?, ?, ?)")
   values = {add:bind_create(t.INT), add:bind_create(t.INT), add:bind_create(t.VARCHAR, 20)}
   add:bind_param(unpack(values))
   find = con:prepare("SELECT note FROM notes WHERE id = ?")
   id = find:bind_create(t.BIGINT)
   find:bind_param(id)
end

function event()
   values[1]:set(sysbench.rand.default(1, 1000))
   values[2]:set(2)
   values[3]:set_rand_str("###-@@@")
   add:execute()
   id:set(7)
   find:execute()
end

function cleanup()
   sysbench.sql.driver():connect():query("DROP TABLE IF EXISTS notes")
end
