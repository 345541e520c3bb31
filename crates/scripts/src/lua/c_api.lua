-- What sysbench 1.0.20 declares and exports to scripts through LuaJIT's FFI: types, constants, C functions.
--
-- Scripts of others reach below sysbench's Lua API, as `ffi.C.sb_counter_inc(tid, ffi.C.SB_CNT_ERROR)`. The
-- types are declared here once, as sysbench does. The functions are Lua: `ffi.C` of a script is a table that
-- has them, and leads to the real one for all else. So objects (connections, results) stay what they are.

local core, ffi, library = ...
local pcall, setmetatable, type, tonumber, tostring = pcall, setmetatable, type, tonumber, tostring
local error, pairs, select, unpack = error, pairs, select, unpack
local yield = coroutine.yield

ffi.cdef [[
typedef struct histogram sb_histogram_t;
typedef enum { DB_ERROR_NONE, DB_ERROR_IGNORABLE, DB_ERROR_FATAL } sql_error_t;
typedef struct { const char *sname; const char *lname; const char opaque[?]; } sql_driver;
typedef struct { uint32_t len; const char *ptr; } sql_value;
typedef struct { void *ptr; sql_value *values; } sql_row;
typedef enum {
   SB_CNT_OTHER, SB_CNT_READ, SB_CNT_WRITE, SB_CNT_TRX, SB_CNT_ERROR, SB_CNT_RECONNECT, SB_CNT_MAX
} sb_counter_type;
typedef struct {
   sql_error_t error; int sql_errno; const char *sql_state; const char *sql_errmsg; sql_driver *driver;
   const char opaque[?];
} sql_connection;
typedef struct { sql_connection *connection; const char opaque[?]; } sql_statement;
typedef struct {
   sb_counter_type counter; uint32_t nrows; uint32_t nfields; sql_statement *statement; void *ptr; sql_row row;
} sql_result;
typedef enum {
   SQL_TYPE_NONE, SQL_TYPE_TINYINT, SQL_TYPE_SMALLINT, SQL_TYPE_INT, SQL_TYPE_BIGINT, SQL_TYPE_FLOAT,
   SQL_TYPE_DOUBLE, SQL_TYPE_TIME, SQL_TYPE_DATE, SQL_TYPE_DATETIME, SQL_TYPE_TIMESTAMP, SQL_TYPE_CHAR,
   SQL_TYPE_VARCHAR
} sql_bind_type_t;
typedef struct {
   sql_bind_type_t type; void *buffer; unsigned long *data_len; unsigned long max_len; char *is_null;
} sql_bind;
typedef enum {
   SB_ARG_TYPE_NULL, SB_ARG_TYPE_BOOL, SB_ARG_TYPE_INT, SB_ARG_TYPE_SIZE, SB_ARG_TYPE_DOUBLE,
   SB_ARG_TYPE_STRING, SB_ARG_TYPE_LIST, SB_ARG_TYPE_FILE, SB_ARG_TYPE_MAX
} sb_arg_type_t;
typedef bool sb_opt_validate_t(const char *, const char *);
typedef struct {
   const char *name; const char *desc; const char *value; sb_arg_type_t type; sb_opt_validate_t *validate;
} sb_arg_t;
]]

-- Its coroutine yields this at the end of an event, see the prelude.
local ENDED = 4

-- A C text of a script: a string of Lua, or a pointer; nil is NULL.
local function text(value, length)
   if value == nil then return nil end
   if type(value) == "string" then
      length = length and tonumber(length) or #value
      return length < #value and value:sub(1, length) or value
   end
   if length then return ffi.string(value, tonumber(length)) end
   return ffi.string(value)
end

-- Histograms ------------------------------------------------------------------------------------------------

local STARS = ("*"):rep(40)

local histogram = {}
histogram.__index = histogram
histogram.__tostring = function() return "<sb_histogram>" end

local function new_histogram(size, least, most)
   size = tonumber(size)
   local low, high = math.log(tonumber(least)), math.log(tonumber(most))
   return setmetatable(
      {size = size, counts = {}, low = low, per_unit = (size - 1) / (high - low)}, histogram)
end

function histogram:update(value)
   local at = math.floor((math.log(tonumber(value)) - self.low) * self.per_unit + 0.5)
   at = math.max(0, math.min(at, self.size - 1))
   self.counts[at] = (self.counts[at] or 0) + 1
end

function histogram:print()
   local most = 0
   for _, count in pairs(self.counts) do most = math.max(most, count) end
   if most == 0 then return end
   core.print("       value  ------------- distribution ------------- count")
   for at = 0, self.size - 1 do
      local count = self.counts[at]
      if count then
         local bar = STARS:sub(1, math.floor(count * 40 / most + 0.5))
         core.print(("%12.3f |%-40s %u"):format(math.exp(at / self.per_unit + self.low), bar, count))
      end
   end
end

-- SQL -------------------------------------------------------------------------------------------------------

-- Calls a method that raises on a failed statement; nil instead, with the error in the connection's fields.
local function quiet(con, method, object, ...)
   con.error = ffi.C.DB_ERROR_NONE
   local ok, found = pcall(method, object, ...)
   if ok then return found end
   if con.state.raised == nil then error(found, 0) end
   con.state.raised = nil
   return nil
end

-- sysbench's functions return 0 for success.
local function succeeds(con, method, object, ...)
   return quiet(con, method, object, ...) ~= nil and 0 or 1
end

local function nothing() return 0 end

-- A parameter with its value in a buffer of the script.
local function buffered(bind)
   local kind, letter = tonumber(bind.type), "t"
   if kind <= 4 then letter = "i" elseif kind <= 6 then letter = "d" end
   local buffer, length, is_null = bind.buffer, bind.data_len, bind.is_null
   local integers, doubles = ffi.cast("int64_t *", buffer), ffi.cast("double *", buffer)
   local function read()
      if is_null ~= nil and is_null[0] ~= 0 then return nil end
      if letter == "i" then return (tostring(integers[0]):gsub("LL$", "")) end
      if letter == "d" then return doubles[0] end
      return ffi.string(buffer, tonumber(length[0]))
   end
   return {letter = letter, read = read}
end

local function bind_buffers(stmt, binds, count)
   local bound = {}
   for i = 0, tonumber(count) - 1 do bound[i + 1] = buffered(binds[i]) end
   stmt:bind_param(unpack(bound))
   return 0
end

-- Takes the values that bound parameters have by now.
local function refresh(stmt)
   for i = 1, stmt.count do
      local param = stmt.bound[i]
      if param.read then param.value = param.read() end
   end
end

local function execute(stmt)
   refresh(stmt)
   return quiet(stmt.connection, stmt.execute, stmt)
end

-- The next row as C has it. Its texts live as long as the result.
local function fetch_row(rs)
   local fields = rs:fetch_row()
   if fields == nil then return nil end
   local values = ffi.new("sql_value[?]", math.max(rs.nfields, 1))
   for i = 1, rs.nfields do
      if fields[i] ~= nil then
         values[i - 1].len, values[i - 1].ptr = #fields[i], fields[i]
      end
   end
   local row = ffi.new("sql_row")
   row.values = values
   rs.row, rs.held = row, {fields, values}
   return row
end

-- Options that a script declares through C, as if it had written them into `sysbench.cmdline.options`.
local function declare(env, args, count)
   local options = env.sysbench.cmdline.options or {}
   env.sysbench.cmdline.options = options
   for i = 0, tonumber(count) - 1 do
      local arg = args[i]
      local validate = arg.validate
      options[ffi.string(arg.name)] = {
         text(arg.desc), text(arg.value), tonumber(arg.type),
         validate ~= nil and function(name, value) return validate(name, value) end or nil
      }
   end
   return 0
end

-- What `ffi.C` of a script has besides the C library; `state` is its connection's.
local function exported(env, state)
   local rand = env.sysbench.rand
   return {
      sb_counter_inc = function(_, which) core.count(tonumber(which)) end,
      sb_event_start = function() end,
      sb_event_stop = function() yield(ENDED, false) end,
      sb_more_events = function() return not core.over() end,
      sb_rand_default = rand.default, sb_rand_uniform = rand.uniform, sb_rand_gaussian = rand.gaussian,
      sb_rand_special = rand.special, sb_rand_pareto = rand.pareto, sb_rand_unique = rand.unique,
      sb_rand_uniform_double = rand.uniform_double, sb_rand_uniform_uint64 = rand.uniform_uint64,
      sb_rand_str = function(pattern, buffer)
         local made = rand.string(text(pattern))
         ffi.copy(buffer, made, #made)
      end,
      sb_histogram_new = new_histogram,
      sb_histogram_delete = function() end,
      sb_histogram_update = histogram.update,
      sb_histogram_print = histogram.print,
      sb_print_test_options = core.print_options,
      sb_lua_set_test_args = function(args, count) return declare(env, args, count) end,
      db_create = function(name) return env.sysbench.sql.driver(text(name)) end,
      db_destroy = nothing,
      db_connection_create = function(driver) return driver:connect() end,
      db_connection_close = function(con) return con:disconnect() and 0 or 1 end,
      db_connection_reconnect = function(con) return succeeds(con, con.reconnect, con) end,
      db_connection_free = function() end,
      db_bulk_insert_init = function(con, sql, length)
         return succeeds(con, con.bulk_insert_init, con, text(sql, length))
      end,
      db_bulk_insert_next = function(con, row, length)
         return succeeds(con, con.bulk_insert_next, con, text(row, length))
      end,
      db_bulk_insert_done = function(con) return succeeds(con, con.bulk_insert_done, con) end,
      db_query = function(con, sql, length) return quiet(con, con.query, con, text(sql, length)) end,
      db_fetch_row = fetch_row,
      db_prepare = function(con, sql, length) return con:prepare(text(sql, length)) end,
      db_bind_param = bind_buffers,
      db_bind_result = nothing,
      db_execute = execute,
      db_close = nothing,
      db_free_results = function(rs) return rs:free() and 0 or 1 end
   }
end

-- The functions of sysbench 0.5, which 1.0 still has: one connection, made when it is first needed.
local function older(env, state)
   local function con()
      state.older = state.older or env.sysbench.sql.driver():connect()
      return state.older
   end
   local function letter(value) return type(value) == "number" and "i" or "t" end
   local db = {
      connect = function() con() end,
      disconnect = function() con():disconnect() end,
      query = function(sql) con():query(sql) end,
      bulk_insert_init = function(sql) con():bulk_insert_init(sql) end,
      bulk_insert_next = function(row) con():bulk_insert_next(row) end,
      bulk_insert_done = function() con():bulk_insert_done() end,
      prepare = function(sql) return con():prepare(sql) end,
      -- the values are those that the table has when the statement is executed
      bind_param = function(stmt, values)
         local bound = {}
         for i = 1, #values do
            bound[i] = {letter = letter(values[i]), read = function() return values[i] end}
         end
         stmt:bind_param(unpack(bound))
      end,
      bind_result = function() end,
      execute = function(stmt)
         refresh(stmt)
         return stmt:execute()
      end,
      store_results = function() end,
      free_results = function(rs) rs:free() end,
      close = function(stmt) stmt:close() end,
      DB_ERROR_NONE = 0, DB_ERROR_RESTART_TRANSACTION = 1, DB_ERROR_FAILED = 2
   }
   for name, value in pairs(db) do
      env[name:find("^DB_") and name or "db_" .. name] = value
   end
   env.sysbench.db = db
   env.mysql_table_engine, env.myisam_max_rows = "innodb", 1000000
end

-- The loop of a thread, as sysbench has it: scripts may call or replace it.
local function thread_run(env)
   return function(tid)
      local C = env.ffi.C
      while C.sb_more_events(tid) do
         C.sb_event_start(tid)
         if env.event(tid) then return end
         C.sb_event_stop(tid)
      end
   end
end

-- Texts of C that were declared. The main chunk runs once for each connection, and a structure can be declared once.
local declared = {}

-- Gives an environment its `ffi`, the older functions, histograms and the loop.
local function equip(env, state)
   local own = {}
   for name, value in pairs(ffi) do own[name] = value end
   own.C = library(ffi.C, exported(env, state))
   function own.load(...) return library(ffi.load(...)) end
   function own.cdef(text, ...)
      if declared[text] then return end
      ffi.cdef(text, ...)
      if select("#", ...) == 0 then declared[text] = true end
   end
   env.ffi = own
   env.sysbench.histogram = {new = new_histogram}
   older(env, state)
   state.loop = thread_run(env)
   env.thread_run = state.loop
   return own
end

return equip
