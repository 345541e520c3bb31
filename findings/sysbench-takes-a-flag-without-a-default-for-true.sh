#!/bin/bash
# sysbench 1.0.20: an option of a Lua script that is declared as a truth value without a default is true.
#
# Guess: an option that is not given is nil or false, as a flag of any program, so that `if sysbench.opt.verbose` is not
# taken without --verbose.
# Seen on 2026-11-30: it is true; only --verbose=off turns it off. A number without a default is 0, a text is empty and a
# list has no items. A file is nil. Needs Debian 12 (bookworm).
#
# Output seen:
#   without options: flag true, number 0, text '', list 0, file nil
#   --flag=off: flag false
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
sysbench_packages libaio1
cat >options.lua <<'LUA'
sysbench.cmdline.options = {
   flag = {"whether", nil, sysbench.cmdline.ARG_BOOL},
   number = {"how many", nil, sysbench.cmdline.ARG_INT},
   text = {"a text"},
   list = {"some", nil, sysbench.cmdline.ARG_LIST},
   file = {"a file", nil, sysbench.cmdline.ARG_FILE}
}
function event()
   local opt = sysbench.opt
   print(string.format("flag %s, number %s, text '%s', list %d, file %s",
      tostring(opt.flag), tostring(opt.number), opt.text, #opt.list, tostring(opt.file)))
end
LUA
options() { # options [OPTION...]: what a script gets
  debian/usr/bin/sysbench ./options.lua --events=1 --time=0 "$@" run | grep '^flag '
}
expect "without options" "$(options)" "flag true, number 0, text '', list 0, file nil"
expect "--flag=off" "$(options --flag=off | cut -d, -f1)" "flag false"
