-- Structures, enumerations and functions of the C library.
local ffi = require("ffi")
ffi.cdef [[
typedef struct { double x, y; } point_t;
enum { SMALL = 3, LARGE = 7 };
struct timeval { long tv_sec; long tv_usec; };
int getpid(void);
int gettimeofday(struct timeval *now, void *zone);
int snprintf(char *into, size_t size, const char *format, ...);
]]

function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   local now, text = ffi.new("struct timeval"), ffi.new("char[32]")
   assert(ffi.C.gettimeofday(now, nil) == 0 and ffi.C.getpid() > 1)
   ffi.C.snprintf(text, 32, "%d", ffi.cast("int", ffi.C.LARGE))
   local point = ffi.new("point_t", {1.5, tonumber(now.tv_sec) > 0 and 2 or 0})
   con:query("SELECT " .. ffi.string(text) .. ", " .. point.x + point.y)
end
