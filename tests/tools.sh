#!/bin/sh
# Installs the programs that the tests need and this machine lacks, when we are root; else names them.
set -eu

missing=""
need() { # need PROGRAM PACKAGE
  PATH="$PATH:/usr/sbin:/sbin" command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}
need mmdebstrap mmdebstrap
need ip iproute2
need nft nftables
need chromium chromium
need pgrep procps
need sysbench sysbench
need openssl openssl
# disks of virtual machines
need mke2fs e2fsprogs
# archives of engines
need zstd zstd
# images of engines, and a registry for them
need skopeo skopeo
need umoci umoci
need docker-registry docker-registry
# machines that one logs in to
need sshd openssh-server
need ssh-keygen openssh-client
need sudo sudo
# login shells of theirs
need fish fish
need tcsh tcsh
need zsh zsh
need mksh mksh
# proxies that one brings
need pgbouncer pgbouncer
need pgpool pgpool2
# ODBC: the driver manager's library and two drivers
ls /usr/lib/*/libodbc.so.2 >/dev/null 2>&1 || missing="$missing unixodbc"
ls /usr/lib/*/odbc/psqlodbcw.so >/dev/null 2>&1 || missing="$missing odbc-postgresql"
ls /usr/lib/*/odbc/libmaodbc.so >/dev/null 2>&1 || missing="$missing odbc-mariadb"
# with TLS, which the wheel's is built without
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || missing="$missing postgresql"

[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ]; then
  echo "the tests need these packages:$missing" >&2
  echo "run as root: apt-get install$missing" >&2
  exit 1
fi
echo "installing$missing"
export DEBIAN_FRONTEND=noninteractive
# no service of these packages is to start here
export RUNLEVEL=1
apt-get update -q >/dev/null
# shellcheck disable=SC2086  (a list of words)
apt-get install -y -q --no-install-recommends $missing >/dev/null
