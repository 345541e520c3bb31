#!/bin/bash
# MariaDB 10.11.19: `wait_timeout = 5m` is 61 days, as `m` of a time is the factor 1024 * 1024.
#
# Guess: an option that is documented in seconds refuses a value with a unit, or takes `5m` for five minutes, as
# PostgreSQL, HAProxy and PgBouncer do.
# Seen on 2026-11-30: the suffixes k, m and g of sizes count for every number, times included, without a warning: 5m is
# 5,242,880 s. A value beyond the greatest one is cut: `30g` is that of one year. 5s and 5min are refused.
# Needs Debian 12 (bookworm).
#
# Output seen:
#   wait_timeout=5m: 5242880
#   wait_timeout=2k: 2048
#   wait_timeout=30g: 31536000
#   wait_timeout=5s: refused: Unknown suffix 's' used for variable 'wait_timeout'
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
debian_packages mariadb-server-core=1:10.11.19-0+deb12u1 libaio1 liburing2 libnuma1
usr=$folder/debian/usr
timeout_of() { # timeout_of VALUE: what the server makes of it
  "${as_user[@]}" "$usr/sbin/mariadbd" --no-defaults --lc-messages-dir="$usr/share/mysql" --verbose --help \
    --wait_timeout="$1" >help.txt 2>errors.txt || true
  awk '$1 == "wait-timeout" { print $2; found = 1 } END { exit !found }' help.txt ||
    echo "refused: $(grep -o "Unknown suffix .* used for variable '[a-z_]*'" errors.txt | head -n 1)"
}
expect "wait_timeout=5m" "$(timeout_of 5m)" 5242880
expect "wait_timeout=2k" "$(timeout_of 2k)" 2048
expect "wait_timeout=30g" "$(timeout_of 30g)" 31536000
expect "wait_timeout=5s" "$(timeout_of 5s)" \
  "refused: Unknown suffix 's' used for variable 'wait_timeout'"
