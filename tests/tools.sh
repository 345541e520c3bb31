#!/bin/sh
# Installs the programs that the tests require and this machine lacks, if run as root; otherwise lists them.
set -eu

missing=""
require() { # require PROGRAM PACKAGE
  PATH="$PATH:/usr/sbin:/sbin" command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}
require mmdebstrap mmdebstrap
require ip iproute2
require nft nftables
require chromium chromium
require pgrep procps
require sysbench sysbench
require openssl openssl
# disks of virtual machines
require mke2fs e2fsprogs
# archives of engines
require zstd zstd
# images of engines, and a registry for them
require skopeo skopeo
require umoci umoci
require docker-registry docker-registry
# machines with SSH log-ins
require sshd openssh-server
require ssh-keygen openssh-client
require sudo sudo
# login shells of these machines
require fish fish
require tcsh tcsh
require zsh zsh
require mksh mksh
# custom proxies
require pgbouncer pgbouncer
require pgpool pgpool2
# ODBC: the driver manager's library and two drivers
ls /usr/lib/*/libodbc.so.2 >/dev/null 2>&1 || missing="$missing unixodbc"
ls /usr/lib/*/odbc/psqlodbcw.so >/dev/null 2>&1 || missing="$missing odbc-postgresql"
ls /usr/lib/*/odbc/libmaodbc.so >/dev/null 2>&1 || missing="$missing odbc-mariadb"
# PostgreSQL with TLS: the wheel's is built without
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || missing="$missing postgresql"

[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ]; then
  echo "the tests require these packages:$missing" >&2
  echo "run as root: apt-get install$missing" >&2
  exit 1
fi
echo "installing$missing"
export DEBIAN_FRONTEND=noninteractive
# No service of these packages may start here.
export RUNLEVEL=1
apt-get update -q >/dev/null
# shellcheck disable=SC2086  (a list of words)
apt-get install -y -q --no-install-recommends $missing >/dev/null
