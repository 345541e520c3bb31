#!/bin/bash
# etcd 3.4.23: the same settings in a configuration file answer 404 where they answer 200 as options.
#
# Guess: a file for `etcd --config-file` with the same names and values as the options is the same server.
# Seen on 2026-11-28 with Debian's 3.4.23-4+b4: without a file the HTTP gateway to its API (/v3/...) is on; with
# a file it is off unless the file says `enable-grpc-gateway: true`. Patroni's `etcd3`, which speaks to the gateway, finds
# no etcd then, although /health and /version work.
# Needs Debian 12 (bookworm).
#
# Output seen (status of POST /v3/maintenance/status, and of GET /version):
#   by options: 200, 200
#   by a file: 404, 200
#   by a file with enable-grpc-gateway: 200, 200
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
debian_packages etcd-server=3.4.23-4+b4
etcd="$folder/debian/usr/bin/etcd"

answers() { # answers URL: the status of the gateway, and of the version
  local status
  await curl -sf "$1/version"
  status=$(curl -s -o /dev/null -w '%{http_code}' -X POST -d '{}' "$1/v3/maintenance/status")
  echo "$status, $(curl -s -o /dev/null -w '%{http_code}' "$1/version")"
}

urls() { # two free ports in the variables client and peer
  client="http://127.0.0.1:$(free_port)"
  peer="http://127.0.0.1:$(free_port)"
}

by_file() { # by_file NAME [LINE]
  urls
  printf '%s\n' "name: $1" "data-dir: $folder/$1" "listen-client-urls: $client" "advertise-client-urls: $client" \
    "listen-peer-urls: $peer" "initial-advertise-peer-urls: $peer" "initial-cluster: $1=$peer" "${2:-}" >"$1.yml"
  start "$1.log" "${as_user[@]}" "$etcd" --config-file "$folder/$1.yml"
  answers "$client"
}

urls
start options.log "${as_user[@]}" "$etcd" --name options --data-dir "$folder/options" --listen-client-urls "$client" \
  --advertise-client-urls "$client" --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" \
  --initial-cluster "options=$peer"
expect "by options" "$(answers "$client")" "200, 200"
by_file file >seen
expect "by a file" "$(cat seen)" "404, 200"
by_file enabled 'enable-grpc-gateway: true' >seen
expect "by a file with enable-grpc-gateway" "$(cat seen)" "200, 200"
