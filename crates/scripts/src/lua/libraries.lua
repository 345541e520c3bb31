-- Lua's libraries for a script: modules and files in sysbench's folders and next to the script; programs that it
-- starts; its own coroutines, in which statements still reach the program.

local core = ...
local pcall, type, tostring, error, pairs = pcall, type, tostring, error, pairs
local setfenv, setmetatable, ipairs = setfenv, setmetatable, ipairs
local native_require, native_package, io, os, coroutine = require, package, io, os, coroutine

local shared = {
   "assert", "collectgarbage", "error", "gcinfo", "getfenv", "getmetatable", "ipairs", "load", "loadstring", "module",
   "newproxy", "next", "pairs", "pcall", "rawequal", "rawget", "rawset", "select", "setfenv", "setmetatable",
   "tonumber", "tostring", "type", "unpack", "xpcall", "_VERSION", "bit", "debug", "jit", "math", "string", "table"
}

local function copy(from)
   local to = {}
   for key, value in pairs(from) do to[key] = value end
   return to
end

-- Modules and files -----------------------------------------------------------------------------------------

-- A file as seen from the current folder, and from the script's.
local function places(file)
   if file:sub(1, 1) == "/" then return {file} end
   return {file, core.folder .. file}
end

local function chunk_of(env, file)
   for _, place in ipairs(places(file)) do
      local chunk = core.chunk(place)
      if chunk then return setfenv(chunk, env) end
   end
   return nil
end

local function from_path(env, name)
   local file = name:gsub("%.", "/")
   for template in tostring(env.package.path):gmatch("[^;]+") do
      local found = chunk_of(env, (template:gsub("%?", (file:gsub("%%", "%%%%")))))
      if found then return found end
   end
   return chunk_of(env, file .. ".lua")
end

-- Libraries in C, and those of Lua itself.
local function native(env, name)
   native_package.cpath = env.package.cpath
   local known = native_package.loaded[name] ~= nil or native_package.preload[name] ~= nil
   return (known or native_package.searchpath(name, env.package.cpath)) and native_require or nil
end

local function missing(env, name)
   error(("module '%s' not found in package.path (%s; relative to the current folder and to %s) or package.cpath (%s)")
      :format(name, env.package.path, core.folder == "" and "." or core.folder, env.package.cpath), 3)
end

local function loader(env, sleeps)
   local loaded = {ffi = env.ffi, _G = env}
   for name in ("bit jit string table math debug"):gmatch("%S+") do loaded[name] = env[name] end
   loaded.io, loaded.os, loaded.coroutine = env.io, env.os, env.coroutine
   env.package = copy(native_package)
   env.package.loaded, env.package.preload, env.package.path = loaded, {}, core.path
   loaded.package = env.package
   return function(name)
      if loaded[name] ~= nil then return loaded[name] end
      local chunk = env.package.preload[name] or from_path(env, name) or native(env, name) or missing(env, name)
      local found = chunk(name)
      -- what module() has made
      local made = native_package.loaded[name]
      if found == nil and chunk ~= native_require and made ~= nil then
         found, native_package.loaded[name] = made, nil
      end
      if type(found) == "table" and sleeps[name] then found = setmetatable(sleeps[name](), {__index = found}) end
      if found ~= nil then loaded[name] = found end
      if loaded[name] == nil then loaded[name] = true end
      return loaded[name]
   end
end

-- Programs and files, which a script that is only tried out leaves alone ------------------------------------

local function system(env, pause)
   env.os, env.io = copy(os), copy(io)
   function env.os.execute(command)
      -- the way to sleep where there is no ffi
      local seconds = tostring(command):match("^%s*sleep%s+([%d.]+)%s*$")
      if tonumber(seconds) then return pause(seconds) end
      if core.tries() then return 0 end
      core.holds("os.execute")
      return os.execute(command)
   end
   function env.os.exit(code)
      error("the script called os.exit(" .. tostring(code or 0) .. ")", 2)
   end
   for _, name in ipairs {"remove", "rename"} do
      env.os[name] = function(...)
         if core.tries() then return true end
         return os[name](...)
      end
   end
   function env.io.popen(...)
      if core.tries() then error("not while the script is tried out", 2) end
      core.holds("io.popen")
      return io.popen(...)
   end
   function env.io.open(file, mode)
      if core.tries() and mode and mode:find("[wa+]") then file = "/dev/null" end
      return io.open(file, mode)
   end
end

-- A standard stream. Standard output has the program's results, so that both are standard error; nothing is written
-- where the script is only tried out.
local function stream()
   local function done() return true end
   return {
      write = function(self, ...)
         if not core.quiet() then io.stderr:write(...) end
         return self
      end,
      flush = done, setvbuf = done, close = done
   }
end

local function streams(env)
   local out, err = stream(), stream()
   local current = out
   env.io.stdout, env.io.stderr = out, err
   env.io.write = function(...) return current:write(...) end
   function env.io.output(file)
      if type(file) == "string" then file = assert(env.io.open(file, "w")) end
      current = file or current
      return current
   end
   function env.io.type(file)
      if file == out or file == err then return "file" end
      return io.type(file)
   end
   function env.io.close(file) return (file or current):close() end
end

-- Coroutines ------------------------------------------------------------------------------------------------

-- What a script yields itself begins with this; anything else is a question for the program.
local OWN = {}
local yield, resume, status = coroutine.yield, coroutine.resume, coroutine.status

local function passed(co, ok, first, ...)
   if not ok then return false, first end
   if first == OWN then return true, ... end
   if status(co) == "dead" then return true, first, ... end
   return passed(co, resume(co, yield(first, ...)))
end

local function coroutines(env)
   env.coroutine = copy(coroutine)
   env.coroutine.yield = function(...) return yield(OWN, ...) end
   env.coroutine.resume = function(co, ...) return passed(co, resume(co, ...)) end
   env.coroutine.wrap = function(body)
      local co = coroutine.create(body)
      local function result(ok, ...)
         if not ok then error((...), 0) end
         return ...
      end
      return function(...) return result(passed(co, resume(co, ...))) end
   end
end

-- Gives an environment Lua's own libraries. `sleeps` has, for modules that can sleep, what takes the place of that;
-- `pause` is what they do.
return function(env, sleeps, pause)
   for _, name in ipairs(shared) do env[name] = _G[name] end
   env._G = env
   env.print = core.print
   system(env, pause)
   streams(env)
   coroutines(env)
   env.require = loader(env, sleeps)
   function env.loadfile(file)
      local ok, chunk = pcall(chunk_of, env, file)
      if not ok then return nil, chunk end
      if not chunk then return nil, "cannot open " .. tostring(file) end
      return chunk
   end
   function env.dofile(file)
      local chunk = chunk_of(env, file)
      if not chunk then error("cannot open " .. tostring(file), 2) end
      return chunk()
   end
end
