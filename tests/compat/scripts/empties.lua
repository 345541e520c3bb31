-- Options that are declared without a value, and errors that the script catches: each right answer is an INSERT.

sysbench.cmdline.options = {
   flag = {"whether", nil, sysbench.cmdline.ARG_BOOL},
   number = {"a whole number", nil, sysbench.cmdline.ARG_INT},
   size = {"a size", nil, sysbench.cmdline.ARG_SIZE},
   part = {"a number", nil, sysbench.cmdline.ARG_DOUBLE},
   text = {"a text"},
   list = {"some", nil, sysbench.cmdline.ARG_LIST},
   none = {"a whole number that is written as nothing", "", sysbench.cmdline.ARG_INT},
}

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE empties1 (id INT)")
end

function thread_init()
   con = sysbench.sql.driver():connect()
end

local function expect(right)
   if right then
      con:query("INSERT INTO empties1 VALUES (1)")
   else
      con:query("DELETE FROM empties1 WHERE id = 2")
   end
end

function event()
   local opt = sysbench.opt
   expect(opt.flag == true)
   expect(opt.number == 0 and opt.size == 0 and opt.part == 0 and opt.none == 0)
   expect(opt.text == "")
   expect(#opt.list == 0)
   expect(not pcall(sysbench.rand.uniform, "x", nil))
   expect(not pcall(require, "no_such_module"))
end

function cleanup()
   local con = sysbench.sql.driver():connect()
   con:query("DROP TABLE IF EXISTS empties1")
end
