#!/usr/bin/env bash
# A fleet on this machine: PostgreSQL with a synchronous standby, three servers, nginx in front, 200 clients that sync and
# write. Kills them all the time, fails over to the standby in the middle, and checks that nothing was lost or done twice.
#
# usage: Tools/fleet.sh [SECONDS]      180 by default; LARDER_FLEET: a larder-fleet that is built already;
#                                      LARDER_FLEET_SEED: the order of the kills; LARDER_FLEET_KILLS=no: only figures
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-180}
RANDOM=${LARDER_FLEET_SEED:=$((RANDOM))}
Tools/setup >&2
fleet=${LARDER_FLEET:-}
if [ -z "$fleet" ]; then
    traits=(--traits Server,AsyncHTTPClient,Postgres)
    echo "fleet: building (minutes the first time)"
    swift build -c release "${traits[@]}" --product larder-fleet
    fleet=$(swift build -c release "${traits[@]}" --show-bin-path)/larder-fleet
fi
fleet=$(realpath "$fleet")

programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
home=$(mktemp -d "${TMPDIR:-/tmp}/larder-fleet.XXXXXX")
chmod 755 "$home"
# Below the ports that the system gives to clients.
first=$((10000 + RANDOM % 20000))
primary=$first standby=$((first + 1)) front=$((first + 2)) nodes=($((first + 3)) $((first + 4)) $((first + 5)))
postgres=$(getent passwd postgres >/dev/null && echo postgres || id -un)

# PostgreSQL refuses root.
as_postgres() {
    if [ "$(id -u)" = 0 ]; then setpriv --reuid="$postgres" --regid="$postgres" --init-groups "$@"; else "$@"; fi
}
sql() { psql -XAtq -v ON_ERROR_STOP=1 "host=127.0.0.1 port=$1 user=postgres dbname=postgres connect_timeout=2" -c "$2"; }
wait_for() {
    local what=$1
    shift
    for _ in $(seq 300); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.1
    done
    echo "fleet: $what did not start; see $home" >&2
    exit 1
}

# Runs a command again whenever it has ended, until its file "run" is gone; its process is in the file "pid".
keep_running() {
    local directory=$1
    shift
    mkdir -p "$directory"
    touch "$directory/run"
    while [ -e "$directory/run" ]; do
        if [ ! -e "$directory/still" ]; then
            "$@" >>"$directory/log" 2>&1 &
            echo $! >"$directory/pid"
            wait $! && code=0 || code=$?
            echo "$code" >"$directory/code"
            # A client that has ended by itself is done.
            if [ -e "$home/stop" ] && [ "$code" -le 1 ]; then break; fi
        fi
        sleep 0.2
    done
}
kill_one() { kill -"${2:-KILL}" "$(cat "$home/$1/pid")" 2>/dev/null || true; }

cleanup() {
    rm -f "$home"/*/run
    for name in "${parts[@]}"; do kill_one "$name"; done
    for data in "$home/primary/data" "$home/standby/data"; do
        if [ -s "$data/postmaster.pid" ]; then kill -QUIT "$(head -1 "$data/postmaster.pid")" 2>/dev/null || true; fi
    done
    if [ -s "$home/nginx.pid" ]; then kill "$(cat "$home/nginx.pid")" 2>/dev/null || true; fi
    sleep 1
    if [ -z "${failed:-}" ]; then rm -rf "$home"; else echo "fleet: logs are in $home" >&2; fi
}
parts=(node0 node1 node2 clients0 clients1 clients2 clients3)
trap cleanup EXIT
failed=yes

echo "fleet: PostgreSQL with a synchronous standby"
mkdir -p "$home/primary" "$home/standby"
[ "$(id -u)" != 0 ] || chown "$postgres" "$home/primary" "$home/standby"
as_postgres "$programs/initdb" -D "$home/primary/data" -A trust -U postgres -E UTF8 --locale C.UTF-8 >"$home/initdb.log"
cat >>"$home/primary/data/postgresql.conf" <<EOF
listen_addresses = '127.0.0.1'
port = $primary
unix_socket_directories = ''
max_connections = 200
synchronous_standby_names = 'standby'
shared_preload_libraries = 'pg_stat_statements'
restart_after_crash = on
EOF
start_postgres() { as_postgres "$programs/pg_ctl" -D "$home/$1/data" -l "$home/$1/log" -w -t 60 start >/dev/null; }
start_postgres primary
as_postgres "$programs/pg_basebackup" -d "host=127.0.0.1 port=$primary user=postgres application_name=standby" \
    -D "$home/standby/data" -R -c fast -X stream
cat >>"$home/standby/data/postgresql.conf" <<EOF
port = $standby
synchronous_standby_names = ''
EOF
start_postgres standby
sql "$primary" "CREATE EXTENSION pg_stat_statements"

echo "fleet: three servers behind nginx"
cluster="host=127.0.0.1,127.0.0.1 port=$primary,$standby user=postgres dbname=postgres connect_timeout=2"
for index in 0 1 2; do
    keep_running "$home/node$index" "$fleet" node --name "node$index" --port "${nodes[$index]}" \
        --database "$cluster target_session_attrs=read-write" --replica "$cluster target_session_attrs=prefer-standby" &
done
mkdir -p "$home/cache"
[ "$(id -u)" != 0 ] || chown www-data "$home/cache"
cat >"$home/nginx.conf" <<EOF
pid $home/nginx.pid;
error_log $home/nginx.error;
worker_processes 1;
worker_rlimit_nofile 8192;
events { worker_connections 4096; }
http {
    log_format figures '\$request_method \$status \$bytes_sent \$upstream_cache_status \$request_time \$uri';
    access_log $home/access figures;
    client_body_temp_path $home/body;
    proxy_temp_path $home/proxy;
    proxy_cache_path $home/cache levels=1 keys_zone=snapshots:10m max_size=1g inactive=10m;
    upstream nodes {
        server 127.0.0.1:${nodes[0]} max_fails=1 fail_timeout=1s;
        server 127.0.0.1:${nodes[1]} max_fails=1 fail_timeout=1s;
        server 127.0.0.1:${nodes[2]} max_fails=1 fail_timeout=1s;
        keepalive 64;
    }
    server {
        listen 127.0.0.1:$front;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_connect_timeout 1s;
        proxy_read_timeout 30s;
        # A write has a key, so that it may be sent to another server although the first may have executed it.
        proxy_next_upstream error timeout http_502 http_503 non_idempotent;
        location / { proxy_pass http://nodes; }
        location /content/api/v4/resources/snapshots/ {
            proxy_pass http://nodes;
            proxy_cache snapshots;
            proxy_cache_lock on;
            proxy_force_ranges on;
            add_header X-Cache-Status \$upstream_cache_status always;
        }
    }
}
EOF
nginx -e "$home/nginx.error" -c "$home/nginx.conf"
for port in "${nodes[@]}"; do wait_for "a server" curl -fsS "http://127.0.0.1:$port/health/ready"; done
wait_for "nginx" curl -fsS "http://127.0.0.1:$front/health/ready"

# A group is known from its first resource on.
sql "$primary" "INSERT INTO larder.resources SELECT 'notes', n FROM generate_series(1, 8) AS n"

echo "fleet: 200 clients for $seconds s (seed $LARDER_FLEET_SEED)"
for index in 0 1 2 3; do
    keep_running "$home/clients$index" "$fleet" clients --base "http://127.0.0.1:$front" \
        --directory "$home/clients$index" --until "$home/stop" &
done

# Shares no code with ours, and was written from the protocol's description.
independent() {
    python3 Tools/fleet/content_client.py --base "http://127.0.0.1:$front/content" --filter 'notes:*' \
        --state "$home/independent.state" --quiet "$@" >>"$home/independent" 2>&1
}
independent --seconds "$seconds" --pause 1 &
follower=$!

# A figure of a database, which may be recovering.
figure() {
    for _ in $(seq 100); do
        sql "$1" "$2" 2>/dev/null && return
        sleep 0.2
    done
    echo 0
}
statements() { figure "$1" "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements"; }
transactions() { figure "$1" "SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'"; }
kills=0 start=$SECONDS active=$primary failover=no before_statements=0 before_transactions=0
while [ $((SECONDS - start)) -lt "$seconds" ]; do
    sleep $((1 + RANDOM % (seconds / 30)))
    if [ "${LARDER_FLEET_KILLS:-yes}" = yes ] && [ "$failover" = no ] && [ $((SECONDS - start)) -gt $((seconds / 2)) ]; then
        before_statements=$(statements "$primary") before_transactions=$(transactions "$primary")
        postmaster=$(head -1 "$home/primary/data/postmaster.pid")
        pkill -KILL -P "$postmaster" || true
        kill -KILL "$postmaster"
        as_postgres "$programs/pg_ctl" -D "$home/standby/data" -w promote >/dev/null
        active=$standby failover=yes kills=$((kills + 1))
        echo "fleet: $((SECONDS - start)) s: the primary is dead, the standby is promoted"
        continue
    fi
    [ "${LARDER_FLEET_KILLS:-yes}" = yes ] || continue
    case $((RANDOM % 10)) in
    0 | 1) kill_one "node$((RANDOM % 3))" ;;
    # As for an update: it ends its connections and the requests under way.
    2) kill_one "node$((RANDOM % 3))" TERM ;;
    3 | 4 | 5) kill_one "clients$((RANDOM % 4))" ;;
    6 | 7)
        # A backend that dies has PostgreSQL end all the others and recover.
        backend=$(sql "$active" "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'
            AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1" || true)
        [ -z "$backend" ] || kill -KILL "$backend"
        ;;
    8)
        # Cut off: connections are open, and nothing passes.
        kill -STOP "$(pgrep -P "$(cat "$home/nginx.pid")" | head -1)"
        sleep 2
        kill -CONT "$(pgrep -P "$(cat "$home/nginx.pid")" | head -1)"
        ;;
    9)
        index=$((RANDOM % 3))
        kill_one "node$index" STOP
        sleep 2
        kill_one "node$index" CONT
        ;;
    esac
    kills=$((kills + 1))
done

echo "fleet: $kills kills and cuts; the clients stop to write, and come to rest"
touch "$home/stop"
problems=0
for index in 0 1 2 3; do
    for _ in $(seq 2400); do
        case $(cat "$home/clients$index/code" 2>/dev/null) in 0 | 1) break ;; esac
        sleep 0.1
    done
    code=$(cat "$home/clients$index/code" 2>/dev/null || echo none)
    [ "$code" = 0 ] || { echo "fleet: clients$index ended with $code" >&2; problems=$((problems + 1)); }
    grep -h -e "^PROBLEM" -e "^write to" "$home/clients$index/log" || true
done

wait "$follower" || { echo "fleet: the independent client failed: $(tail -2 "$home/independent")" >&2; problems=$((problems + 1)); }
independent --runs 2 --rows "$home/independent.rows" || problems=$((problems + 1))
sql "$active" "SELECT record_key || ' ' || (body->>'at') FROM larder.rows" | LC_ALL=C sort >"$home/expected"
awk -F'\t' 'NF > 3 { match($5, /"at":[0-9]+/); print $4, substr($5, RSTART + 5, RLENGTH - 5) }' "$home/independent.rows" |
    LC_ALL=C sort | cmp -s - "$home/expected" || { echo "fleet: the independent client differs" >&2; problems=$((problems + 1)); }

cat "$home"/clients?/acknowledged | sort >"$home/acknowledged"
sql "$active" "SELECT record_key FROM larder.rows" | LC_ALL=C sort >"$home/rows"
LC_ALL=C sort -o "$home/acknowledged" "$home/acknowledged"
lost=$(LC_ALL=C comm -23 "$home/acknowledged" "$home/rows" | wc -l)
twice=$(sql "$active" "SELECT count(*) FROM (SELECT FROM executions GROUP BY key HAVING count(*) > 1) AS t")
executions=$(sql "$active" "SELECT count(*) FROM executions")
rows=$(wc -l <"$home/rows")
changes=$(sql "$active" "SELECT sequence FROM larder.head")
holes=$(sql "$active" "SELECT $changes - count(*) FROM larder.changes")
[ "$lost" = 0 ] && [ "$twice" = 0 ] && [ "$executions" = "$rows" ] && [ "$holes" = 0 ] || problems=$((problems + 1))

total_statements=$((before_statements + $(statements "$active")))
total_transactions=$((before_transactions + $(transactions "$active")))
echo "acknowledged writes: $(wc -l <"$home/acknowledged"), lost: $lost, executed twice: $twice"
echo "executions: $executions, rows: $rows, changes: $changes, missing in the log: $holes"
awk -v clients=200 -v seconds="$seconds" -v changes="$changes" '
    { requests++; bytes += $3 }
    $6 ~ /snapshots/ { snapshots++; snapshotBytes += $3; if ($4 == "HIT") hits++ }
    $6 ~ /sync$/ { pages++; pageBytes += $3 }
    $6 ~ /events$/ { connections++ }
    $6 ~ /^\/notes/ { writes++; writeBytes += $3 }
    $2 >= 500 { errors++ }
    END {
        printf "requests: %d, %.2f a second and client; bytes: %d, %d a client and change\n", requests,
            requests / clients / seconds, bytes, bytes / clients / changes
        printf "connections for changes: %d\n", connections
        printf "snapshots: %d, of the cache: %d; answers of 500 and above: %d\n", snapshots, hits, errors
        printf "mean bytes of a page %d (%d), of a snapshot %d, of the answer to a write %d (%d)\n",
            pageBytes / (pages + !pages), pages, snapshotBytes / (snapshots + !snapshots), writeBytes / (writes + !writes),
            writes
    }' "$home/access"
echo "database: $total_statements statements, $total_transactions transactions"
if [ "$problems" != 0 ]; then
    echo "fleet: $problems problems" >&2
    exit 1
fi
failed=""
echo "fleet: every client equals the origin, nothing was lost, nothing was done twice"
