-- The functions of sysbench 0.5, which 1.0 still has.
function prepare()
   db_connect()
   db_query("CREATE TABLE older (id INTEGER, note VARCHAR(20))")
   db_bulk_insert_init("INSERT INTO older VALUES")
   for id = 1, 50 do db_bulk_insert_next("(" .. id .. ", 'x')") end
   db_bulk_insert_done()
   db_disconnect()
end

function thread_init(thread_id)
   stmt = db_prepare("SELECT note FROM older WHERE id = ?")
   params = {1}
   db_bind_param(stmt, params)
end

function event(thread_id)
   params[1] = sb_rand(1, 50)
   local rs = db_execute(stmt)
   db_query("BEGIN")
   db_query("UPDATE older SET note = '" .. sb_rand_str("##@@") .. "' WHERE id = " .. sb_rand_uniform(1, 50))
   db_query("COMMIT")
end

function cleanup()
   db_query("DROP TABLE IF EXISTS older")
end
