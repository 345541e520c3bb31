-- The API of sysbench 1.0 scripts, over functions of the program (`core`).
--
-- A script runs in an environment of its own for every connection: what it takes for globals are fields of
-- that environment. Statements yield to the program, which sends them and resumes with the answer.

local core, c_api = ...
local ffi = require("ffi")
local equip = c_api(core, ffi)
local yield = coroutine.yield
local pcall, setmetatable, tonumber, tostring, type = pcall, setmetatable, tonumber, tostring, type
local error, select, unpack, pairs, ipairs = error, select, unpack, pairs, ipairs
local concat, format, find = table.concat, string.format, string.find

-- What is asked of the program; the numbers are those of `Ask` in its source.
local QUERY, EXECUTE, RECONNECT, ENDED, SQL_FAILED, LUA_FAILED = 1, 2, 3, 4, 5, 6

-- sysbench sends rows of a bulk insert once this many bytes are together.
local BULK_BYTES = 512 * 1024

local NONE, IGNORABLE, FATAL = 0, 1, 2
local RESTART_EVENT = 1

local types = {
   NONE = 0, TINYINT = 1, SMALLINT = 2, INT = 3, BIGINT = 4, FLOAT = 5, DOUBLE = 6, TIME = 7, DATE = 8,
   DATETIME = 9, TIMESTAMP = 10, CHAR = 11, VARCHAR = 12
}

-- Results -----------------------------------------------------------------------------------------------

local result = {}
result.__index = result
result.__tostring = function() return "<sql_result>" end

function result:fetch_row()
   local rows = self.rows
   if rows == nil then return nil end
   local at = self.at + 1
   self.at = at
   return rows[at]
end

function result:free()
   self.rows = nil
   return true
end

-- Connections ----------------------------------------------------------------------------------------------

local connection = {}
connection.__index = connection
connection.__tostring = function() return "<sql_connection>" end

-- What a statement gives when the script never looks at results: one for all saves making many.
local plain = setmetatable({nrows = 0, nfields = 0, at = 0}, result)

-- Raises the error of a connection's last statement, as sysbench does.
local function raise(con, query, level)
   local errno, state, message = con.sql_errno, con.sql_state, con.sql_errmsg
   local errdesc = {
      connection = con, query = query, sql_errno = errno, sql_state = state, sql_errmsg = message
   }
   local hook = con.env.sysbench.hooks.sql_error_ignorable
   if con.error == IGNORABLE or (type(hook) == "function" and hook(errdesc)) then
      errdesc.errcode = RESTART_EVENT
      con.raised = errdesc
      error(errdesc, 0)
   end
   con.raised = format("SQL error, errno = %d, state = '%s': %s", errno, state, message)
   error(con.raised, level)
end

-- Turns an answer into a result, or into an error as sysbench raises it.
local function finish(con, query, nrows, nfields, rows, ...)
   if nrows then
      if nfields == nil then return plain end
      return setmetatable({nrows = nrows, nfields = nfields, rows = rows, at = 0}, result)
   end
   -- The answer was: nil, number, SQLSTATE, message, whether it may be ignored.
   con.sql_errno, con.sql_state, con.sql_errmsg = nfields, rows, (...)
   con.error = select(2, ...) and IGNORABLE or FATAL
   raise(con, query, 4)
end

function connection:query(sql)
   return finish(self, sql, yield(QUERY, sql))
end

function connection:query_row(sql)
   local rs = finish(self, sql, yield(QUERY, sql))
   if rs.nrows == 0 then return nil end
   local row = rs:fetch_row()
   if row == nil then return nil end
   return unpack(row, 1, rs.nfields)
end

function connection:disconnect()
   self.connected = false
   return true
end

function connection:reconnect()
   finish(self, "<reconnect>", yield(RECONNECT))
   self.connected = true
   return true
end

function connection:check_error(rs, query)
   if rs ~= nil or self.error == NONE then return rs end
   raise(self, query, 3)
end

function connection:bulk_insert_init(sql)
   self.bulk = {sql = sql, size = #sql, count = 0, rows = {}}
   return true
end

local function bulk_send(con)
   local bulk = con.bulk
   if bulk.count == 0 then return end
   local sql = bulk.sql .. concat(bulk.rows, ",", 1, bulk.count)
   bulk.count, bulk.size = 0, #bulk.sql
   finish(con, "<bulk insert>", yield(QUERY, sql))
end

function connection:bulk_insert_next(row)
   local bulk = self.bulk
   if bulk == nil then error("bulk_insert_next() before bulk_insert_init()", 2) end
   if bulk.size + #row + 1 > BULK_BYTES then bulk_send(self) end
   bulk.count = bulk.count + 1
   bulk.rows[bulk.count] = row
   bulk.size = bulk.size + #row + 1
   return true
end

function connection:bulk_insert_done()
   if self.bulk ~= nil then
      bulk_send(self)
      self.bulk = nil
   end
   return true
end

-- Prepared statements ------------------------------------------------------------------------------------

local param = {}
param.__index = param
param.__tostring = function() return "<sql_param>" end

function param:set(value)
   if value ~= nil and self.max_len and #tostring(value) > self.max_len then
      value = tostring(value):sub(1, self.max_len)
   end
   self.value = value
end

function param:set_rand_str(pattern)
   local text = core.string(pattern)
   if self.max_len and #text > self.max_len then text = text:sub(1, self.max_len) end
   self.value = text
end

local statement = {}
statement.__index = statement
statement.__tostring = function() return "<sql_statement>" end

function connection:prepare(sql)
   return setmetatable({connection = self, sql = sql, bound = {}, count = 0}, statement)
end

function statement:bind_create(btype, max_len)
   if btype == nil or btype < types.TINYINT or btype > types.VARCHAR then
      error("Unsupported argument type: " .. tostring(btype), 2)
   end
   local letter = "t"
   if btype <= types.BIGINT then letter = "i"
   elseif btype <= types.DOUBLE then letter = "d" end
   return setmetatable({letter = letter, max_len = letter == "t" and max_len or nil}, param)
end

function statement:bind_param(...)
   self.bound, self.count = {...}, select("#", ...)
   self.id = nil
end

local function number(self)
   local letters = {}
   for i = 1, self.count do letters[i] = self.bound[i].letter end
   self.id = core.statement(self.sql, concat(letters))
   return self.id
end

local function values(bound, at, count)
   if at == count then return bound[at].value end
   return bound[at].value, values(bound, at + 1, count)
end

function statement:execute()
   local id = self.id or number(self)
   local count, bound = self.count, self.bound
   if count == 0 then
      return finish(self.connection, "<prepared statement>", yield(EXECUTE, id))
   elseif count == 1 then
      return finish(self.connection, "<prepared statement>", yield(EXECUTE, id, bound[1].value))
   elseif count == 2 then
      return finish(self.connection, "<prepared statement>",
                    yield(EXECUTE, id, bound[1].value, bound[2].value))
   end
   return finish(self.connection, "<prepared statement>", yield(EXECUTE, id, values(bound, 1, count)))
end

function statement:close()
   return true
end

-- Drivers ---------------------------------------------------------------------------------------------------

local driver = {}
driver.__index = driver
driver.__tostring = function() return "<sql_driver>" end

function driver:name()
   return core.driver
end

function driver:connect()
   local con = self.env_state.connection
   if con == nil then
      con = setmetatable({env = self.env_state.env, connected = true, error = NONE}, connection)
      self.env_state.connection = con
      return con
   end
   if con.connected then
      error("a thread has one connection here: disconnect() before connecting again", 2)
   end
   con:reconnect()
   return con
end

-- Environments ----------------------------------------------------------------------------------------------

local standard = {
   "assert", "collectgarbage", "dofile", "error", "getfenv", "getmetatable", "ipairs", "load", "loadfile",
   "loadstring", "module", "newproxy", "next", "pairs", "pcall", "rawequal", "rawget", "rawset", "rawlen",
   "select", "setfenv", "setmetatable", "tonumber", "tostring", "type", "unpack", "xpcall", "_VERSION",
   "bit", "coroutine", "debug", "io", "jit", "math", "os", "string", "table"
}

local function copy(from)
   local to = {}
   for key, value in pairs(from) do to[key] = value end
   return to
end

local function random()
   return {
      default = core.default, uniform = core.uniform, gaussian = core.gaussian, special = core.special,
      pareto = core.pareto, zipfian = core.zipfian, unique = core.unique, string = core.string,
      varstring = core.varstring, uniform_double = core.double,
      uniform_uint64 = function()
         local high, low = core.halves()
         return ffi.cast("uint64_t", high) * 4294967296ULL + ffi.cast("uint64_t", low)
      end
   }
end

local function cmdline(settings)
   return {
      command = settings.command, script_path = settings.path, PARALLEL_COMMAND = true,
      ARG_NULL = 0, ARG_BOOL = 1, ARG_INT = 2, ARG_SIZE = 3, ARG_DOUBLE = 4, ARG_STRING = 5, ARG_LIST = 6,
      ARG_FILE = 7, ARG_MAX = 8, print_test_options = core.print_options
   }
end

-- The names that scripts of older versions use.
local function compatibility(env, rand)
   env.thread_id = env.sysbench.tid
   env.test = env.sysbench.cmdline.script_path
   env.db_driver = core.driver
   env.sb_rand, env.sb_rand_str, env.sb_rand_uniform = rand.default, rand.string, rand.uniform
   env.sb_rand_gaussian, env.sb_rand_special = rand.gaussian, rand.special
   env.sb_rnd = function() return rand.uniform(0, 4294967295) end
   env.sb_rand_uniq = function(a, b)
      local found
      repeat found = rand.unique() until found >= (a or 0) and found <= (b or 4294967295)
      return found
   end
end

local function loader(env)
   local loaded = {ffi = env.ffi, bit = bit, jit = jit}
   env.package = {loaded = loaded, preload = {}, path = package.path, cpath = package.cpath}
   return function(name)
      if loaded[name] ~= nil then return loaded[name] end
      local chunk = env.package.preload[name] or core.module(name)
      local found
      if chunk then
         if not env.package.preload[name] then setfenv(chunk, env) end
         found = chunk(name)
      else
         found = require(name)
      end
      if loaded[name] == nil then loaded[name] = found == nil and true or found end
      return loaded[name]
   end
end

-- Makes a script's environment: `settings` has tid, command, path, opt and, for old scripts, globals.
local function environment(settings)
   local env = {}
   for _, name in ipairs(standard) do env[name] = _G[name] end
   local state = {env = env}
   local rand = random()
   env._G, env.print = env, core.print
   env.sysbench = {
      tid = settings.tid, opt = copy(settings.opt), version = "1.0.20", version_string = core.version,
      hooks = {}, error = {NONE = NONE, RESTART_EVENT = RESTART_EVENT}, rand = rand,
      cmdline = cmdline(settings),
      sql = {
         type = copy(types), error = {NONE = NONE, IGNORABLE = IGNORABLE, FATAL = FATAL},
         driver = function(name)
            if name ~= nil and name ~= core.driver then
               error("no driver '" .. tostring(name) .. "' in this run: it is " .. core.driver, 2)
            end
            return setmetatable({env_state = state, sname = core.driver}, driver)
         end
      },
      report_csv = function() end, report_json = function() end, report_default = function() end
   }
   compatibility(env, rand)
   equip(env, state)
   env.require = loader(env)
   for name, value in pairs(settings.globals or {}) do env[name] = value end
   return env, state
end

-- Tells the program why a call into the script failed: a statement did, or the script itself is wrong.
local function failed(state, problem)
   local con = state.connection
   local raised = con and con.raised
   if raised ~= nil then
      local is_table = type(raised) == "table"
      if problem == raised or (not is_table and find(tostring(problem), raised, 1, true)) then
         con.raised = nil
         state.restart = is_table and raised or nil
         yield(SQL_FAILED)
         return
      end
   end
   if type(problem) == "table" and problem.sql_errmsg then problem = problem.sql_errmsg end
   yield(LUA_FAILED, tostring(problem))
end

-- The life of a connection: thread_init() once, then event() for ever, one call for each transaction.
local function drive(env, state, lost)
   setfenv(0, env)
   local tid = env.sysbench.tid
   if lost then state.restart = lost end
   while true do
      local ok, problem = true, nil
      if not state.ready then
         state.connection = nil
         if env.thread_init then ok, problem = pcall(env.thread_init, tid) end
         state.ready = ok
      end
      local restart, hook = state.restart, env.sysbench.hooks.before_restart_event
      state.restart = nil
      if ok and restart and hook then ok, problem = pcall(hook, restart) end
      local own_loop = env.thread_run ~= state.loop
      if ok then ok, problem = pcall(own_loop and env.thread_run or env.event, tid) end
      if ok then
         -- a loop of the script's own ends each event by itself, and with it the thread
         yield(ENDED, (own_loop or problem) and true or false)
      else
         failed(state, problem)
      end
   end
end

-- Calls one function of the script to its end, for commands and thread_done().
local function once(env, state, call, ...)
   setfenv(0, env)
   local ok, problem = pcall(call, ...)
   if ok then
      yield(ENDED, problem == false)
   else
      failed(state, problem)
   end
end

-- Runs a script's main chunk: what it loads itself shall find the same globals.
local function enter(env, chunk)
   local before = getfenv(0)
   setfenv(0, env)
   setfenv(chunk, env)
   local ok, problem = pcall(chunk)
   setfenv(0, before)
   if not ok then error(problem, 0) end
end

return environment, drive, once, enter
