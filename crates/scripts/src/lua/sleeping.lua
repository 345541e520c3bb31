-- Sleeping functions of C and of Lua's modules: here only the connection of the calling event sleeps.

local core, ffi = ...
local tonumber, setmetatable, type = tonumber, setmetatable, type
local yield = coroutine.yield

ffi.cdef [[
typedef struct { long tv_sec; long tv_nsec; } fivenines_timespec;
]]

-- The number of `Ask::Pause`.
local PAUSE = 7

local function pause(seconds)
   seconds = tonumber(seconds)
   -- a script that is tried out takes no time
   if seconds and seconds > 0 and not core.tries() then yield(PAUSE, seconds) end
   return 0
end

-- struct timespec or timeval, by the name that the script gave it
local function of_struct(time, second_unit)
   local parts = ffi.cast("fivenines_timespec *", ffi.cast("void *", time))
   return tonumber(parts.tv_sec) + tonumber(parts.tv_nsec) * second_unit
end

local TIMER_ABSTIME = 1

local function nanosleep(time) return pause(of_struct(time, 1e-9)) end

local functions = {
   usleep = function(microseconds) return pause(tonumber(microseconds) / 1e6) end,
   sleep = pause,
   nanosleep = nanosleep,
   clock_nanosleep = function(clock, flags, time)
      local seconds = of_struct(time, 1e-9)
      if tonumber(flags) == TIMER_ABSTIME then seconds = seconds - core.clock(tonumber(clock)) end
      return pause(seconds)
   end
}

-- Those that sleep only where there is nothing to wait for.
local waiting = {
   poll = function(real)
      return function(fds, count, milliseconds)
         if tonumber(count) ~= 0 or tonumber(milliseconds) < 0 then return real(fds, count, milliseconds) end
         return pause(tonumber(milliseconds) / 1e3)
      end
   end,
   select = function(real)
      return function(count, reads, writes, errors, time)
         if tonumber(count) ~= 0 or time == nil then return real(count, reads, writes, errors, time) end
         return pause(of_struct(time, 1e-6))
      end
   end,
   -- a program takes its time as with os.execute
   system = function(real)
      return function(command)
         if core.tries() then return 0 end
         core.holds("system")
         return real(command)
      end
   end
}

-- What takes the place of a function of this name in a C library; nil for all that do not sleep.
local function in_c(name, library)
   if functions[name] then return functions[name] end
   if waiting[name] then return waiting[name](library[name]) end
   return nil
end

-- A C library as a script sees it.
local function library(real, own)
   return setmetatable(own or {}, {
      __index = function(_, name) return in_c(name, real) or real[name] end,
      __newindex = function(_, name, value) real[name] = value end
   })
end

-- Lua's modules that sleep, by name: what takes the place of their functions.
local function posix()
   return {
      sleep = pause,
      usleep = functions.usleep,
      nanosleep = function(seconds, nanoseconds)
         if type(seconds) == "table" then seconds, nanoseconds = seconds.tv_sec, seconds.tv_nsec end
         return pause((tonumber(seconds) or 0) + (tonumber(nanoseconds) or 0) / 1e9)
      end
   }
end
local modules = {
   socket = function() return {sleep = pause} end,
   posix = posix, ["posix.unistd"] = posix, ["posix.time"] = posix
}

return library, modules, pause
