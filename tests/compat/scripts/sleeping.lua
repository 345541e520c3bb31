-- Think times, as scripts have them: functions of C.
local ffi = require("ffi")
ffi.cdef [[
int usleep(unsigned int);
struct timespec { long tv_sec; long tv_nsec; };
int nanosleep(const struct timespec *wanted, struct timespec *left);
int poll(struct pollfd *fds, unsigned long count, int timeout);
]]

function thread_init()
   con = sysbench.sql.driver():connect()
   pause = ffi.new("struct timespec", {tv_sec = 0, tv_nsec = 1000000})
end

function event()
   con:query("SELECT 1")
   ffi.C.usleep(1000)
   con:query("SELECT 2")
   assert(ffi.C.nanosleep(pause, nil) == 0)
   ffi.C.poll(nil, 0, 1)
end
