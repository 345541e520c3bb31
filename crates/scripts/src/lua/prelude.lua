-- The API of sysbench 1.0 scripts, over functions of the program (`core`).
--
-- A script runs in a separate environment for every connection: what it takes for globals are fields of
-- that environment. Statements yield to the program, which sends them and resumes with the answer.

local core, libraries, sleeping, c_api = ...
local ffi = require("ffi")
local give_libraries = libraries(core)
local library, sleeps, pause = sleeping(core, ffi)
local equip = c_api(core, ffi, library)
local yield, getinfo = coroutine.yield, debug.getinfo
local pcall, setmetatable, tonumber, tostring, type = pcall, setmetatable, tonumber, tostring, type
local error, select, unpack, pairs, ipairs = error, select, unpack, pairs, ipairs
local concat, format, find = table.concat, string.format, string.find

-- What is asked of the program; the numbers are those of `Ask` in its source.
local QUERY, EXECUTE, RECONNECT, ENDED, SQL_FAILED, LUA_FAILED = 1, 2, 3, 4, 5, 6
local FORGET, SET_UP = 8, 9

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

-- The level, as seen from the caller, of the script's line that asked for a statement.
local function level_of_script()
   local level = 2
   local info = getinfo(level + 1, "S")
   while info and (info.source == "=prelude" or info.source == "=c_api") do
      level = level + 1
      info = getinfo(level + 1, "S")
   end
   return level
end

-- Raises the error of a connection's last statement, as sysbench does.
local function raise(con, query)
   local errno, state, message = con.sql_errno, con.sql_state, con.sql_errmsg
   local errdesc = {
      connection = con, query = query, sql_errno = errno, sql_state = state, sql_errmsg = message
   }
   local hook = con.env.sysbench.hooks.sql_error_ignorable
   if con.error == IGNORABLE or (type(hook) == "function" and hook(errdesc)) then
      errdesc.errcode = RESTART_EVENT
      con.state.raised = errdesc
      error(errdesc, 0)
   end
   con.state.raised = format("SQL error, errno = %d, state = '%s': %s", errno, state, message)
   error(con.state.raised, level_of_script())
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
   raise(con, query)
end

-- A thread has one session; the connection that last was made and used has it.
local function take_session(con)
   local state = con.state
   local owner = state.owner
   if not con.connected then error("the connection is closed", 3) end
   if state.many then
      core.use(con.number)
   elseif owner ~= nil then
      if owner.connected then
         error("a second connection in one thread: here each thread has one, so disconnect() the first before", 3)
      end
      finish(con, "<connect>", yield(RECONNECT))
      yield(FORGET)
   end
   state.owner = con
end

function connection:query(sql)
   if self.state.owner ~= self then take_session(self) end
   return finish(self, sql, yield(QUERY, sql, self.state.settling))
end

function connection:query_row(sql)
   if self.state.owner ~= self then take_session(self) end
   local rs = finish(self, sql, yield(QUERY, sql, self.state.settling))
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
   self.connected = true
   if self.state.owner ~= self then take_session(self) end
   finish(self, "<reconnect>", yield(RECONNECT))
   return true
end

function connection:check_error(rs, query)
   if rs ~= nil or self.error == NONE then return rs end
   raise(self, query)
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
   if con.state.owner ~= con then take_session(con) end
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

-- A value as sysbench writes it into a text where `--db-ps-mode=disable`.
local function literal(param)
   local value = param.value
   if value == nil then return "NULL" end
   if param.letter == "t" then return "'" .. tostring(value):gsub("'", "''") .. "'" end
   if param.letter == "d" then return format("%f", tonumber(value)) end
   return type(value) == "number" and format("%d", value) or tostring(value)
end

local function as_text(self)
   local at = 0
   return (self.sql:gsub("%?", function()
      at = at + 1
      local param = self.bound[at]
      return param and literal(param) or "?"
   end))
end

function statement:execute()
   local con = self.connection
   if con.state.owner ~= con then take_session(con) end
   if con.state.emulates then
      return finish(con, "<prepared statement>", yield(QUERY, as_text(self), con.state.settling))
   end
   local id = self.id or number(self)
   local count, bound = self.count, self.bound
   if count == 0 then
      return finish(con, "<prepared statement>", yield(EXECUTE, id, con.state.settling))
   elseif count == 1 then
      return finish(con, "<prepared statement>", yield(EXECUTE, id, bound[1].value))
   elseif count == 2 then
      return finish(con, "<prepared statement>", yield(EXECUTE, id, bound[1].value, bound[2].value))
   end
   return finish(con, "<prepared statement>", yield(EXECUTE, id, values(bound, 1, count)))
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

-- It finds its session with its first statement, see `take_session`.
function driver:connect()
   local state = self.state
   state.count = state.count + 1
   return setmetatable(
      {env = state.env, state = state, connected = true, error = NONE, number = state.count}, connection)
end

-- Environments ----------------------------------------------------------------------------------------------

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

local function cmdline(env, settings)
   local function defined(name)
      local own = env.sysbench.cmdline.commands
      return own and own[name] or env[name] and {env[name]}
   end
   return {
      command = settings.command, script_path = settings.path, PARALLEL_COMMAND = true,
      argv = {[0] = "sysbench", settings.path, settings.command},
      command_defined = function(name) return defined(name) ~= nil end,
      command_parallel = function(name) return defined(name) and defined(name)[2] or false end,
      call_command = function(name) return defined(name)[1]() end,
      read_cmdline_options = function() end,
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

-- Makes a script's environment: `settings` has tid, command, path, opt and, for old scripts, globals.
local function environment(settings)
   local env = {}
   local state = {env = env, count = 0, emulates = settings.opt.db_ps_mode == "disable"}
   local rand = random()
   env.sysbench = {
      tid = settings.tid, opt = copy(settings.opt), version = "1.0.20", version_string = core.version,
      hooks = {}, error = {NONE = NONE, RESTART_EVENT = RESTART_EVENT}, rand = rand,
      sql = {
         type = copy(types), error = {NONE = NONE, IGNORABLE = IGNORABLE, FATAL = FATAL},
         driver = function(name)
            if name ~= nil and name ~= core.driver then
               error("no driver '" .. tostring(name) .. "' in this run: it is " .. core.driver, 2)
            end
            return setmetatable({state = state, sname = core.driver}, driver)
         end
      },
      report_csv = function() end, report_json = function() end, report_default = function() end
   }
   env.sysbench.cmdline = cmdline(env, settings)
   compatibility(env, rand)
   equip(env, state)
   give_libraries(env, sleeps, pause)
   -- what Lua or sysbench has by this name stays what it is
   for name, value in pairs(settings.globals or {}) do
      if env[name] == nil then env[name] = value end
   end
   return env, state
end

-- Whether this error is that of the last statement, perhaps in words of the script's.
local function is_of_statement(problem, raised)
   if problem == raised then return true end
   local words = raised
   if type(raised) == "table" then words = raised.sql_errmsg end
   return type(problem) == "string" and words ~= "" and find(problem, words, 1, true) ~= nil
end

-- Tells the program why a call into the script failed: a statement did, or the script itself is wrong.
local function failed(state, problem)
   local raised = state.raised
   state.raised = nil
   if raised ~= nil and is_of_statement(problem, raised) then
      state.restart = type(raised) == "table" and raised or nil
      yield(SQL_FAILED)
      return
   end
   if type(problem) == "table" and problem.sql_errmsg then problem = problem.sql_errmsg end
   yield(LUA_FAILED, tostring(problem))
end

local function asks_for_restart(state, problem)
   return type(problem) == "table" and problem.errcode == RESTART_EVENT and problem ~= state.raised
end

-- The main chunk, where it has not run yet, and thread_init(). What they say to the session is kept.
local function set_up(env, state, chunk)
   state.owner, state.settling = nil, true
   yield(FORGET)
   local ok, problem = true, nil
   if not state.entered then
      ok, problem = pcall(setfenv(chunk(), env))
      state.entered = ok
   end
   if ok and env.thread_init then ok, problem = pcall(env.thread_init, env.sysbench.tid) end
   state.ready, state.settling = ok, false
   if ok then yield(SET_UP) end
   return ok, problem
end

-- As often as a script may restart its event by itself.
local RESTARTS = 10000

-- The life of a connection: thread_init() once, then event() for ever, one call for each transaction.
local function drive(env, state, chunk, lost)
   setfenv(0, env)
   local tid = env.sysbench.tid
   if lost then state.restart = lost end
   while true do
      local ok, problem = true, nil
      if not state.ready then ok, problem = set_up(env, state, chunk) end
      local own_loop = env.thread_run ~= state.loop
      local call = own_loop and env.thread_run or env.event
      for _ = 1, RESTARTS do
         local restart, hook = state.restart, env.sysbench.hooks.before_restart_event
         state.restart = nil
         if ok and restart and hook then ok, problem = pcall(hook, restart) end
         if ok then ok, problem = pcall(call, tid) end
         if ok or not asks_for_restart(state, problem) then break end
         ok, state.restart = true, problem
      end
      if ok and state.restart then ok, problem = false, "event() asks for a restart without end" end
      if ok then
         -- a loop of the script's own ends each event by itself, and with it the thread
         yield(ENDED, (own_loop or problem) and true or false)
      else
         failed(state, problem)
      end
   end
end

-- Calls one function of the script to its end, for commands and thread_done(); its connections are its own.
local function once(env, state, call, ...)
   setfenv(0, env)
   state.many, state.owner = true, nil
   local ok, problem = pcall(call, ...)
   if ok then
      yield(ENDED, problem == false)
   else
      failed(state, problem)
   end
end

-- A script's main chunk, to be called by `once`.
local function main(env, state, chunk)
   local run = setfenv(chunk(), env)
   return function()
      run()
      state.entered = true
   end
end

return environment, drive, once, main
