#!/usr/bin/env bash
# Figures of one machine, printed and never judged: creates, reads, reads under creates, memory, start.
# Needs wrk, curl and python3 beside the release binary. Usage: bench/figures.sh [seconds] [rows]
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-20}
rows=${2:-100000}
here=bench/figures
store=$(mktemp -d)
perennial=target/release/perennial
export PERENNIAL_BOOTSTRAP_CLIENT_ID=pk_figuresfiguresfiguresfiguresfig

cargo build --release --quiet

start() {
  : >"$store/log"
  "$perennial" serve --listen 127.0.0.1:0 --data-dir "$store/data" 2>>"$store/log" &
  server=$!
  until grep -q '"listening":' "$store/log"; do sleep 0.01; done
  address=$(sed -n 's/.*"listening":"\([^"]*\)".*/\1/p' "$store/log" | head -1)
}

stop() {
  kill "$server"
  wait "$server"
}

trap 'kill "$server" 2>/dev/null || true; rm -rf "$store"' EXIT

call() { curl -sf -H "client-id: $PERENNIAL_BOOTSTRAP_CLIENT_ID" -H 'content-type: application/json' "$@"; }

load() { # name, lua script, file, further wrk flags
  local name=$1 script=$2 file=$3
  shift 3
  wrk -t1 -c64 -d"${seconds}s" --latency -H "client-id: $PERENNIAL_BOOTSTRAP_CLIENT_ID" -s "$script" "$@" \
    "http://$address" -- "$file" "$RANDOM" |
    awk -v name="$name" '/50%|99%/ {printf "%s p%s %s  ", name, $1, $2} /Requests\/sec/ {printf "%s %s/s", name, $2} /Non-2xx/ {printf "  REFUSED %s", $0} END {print ""}'
}

count() { # live subscriptions, counted through the API
  python3 - "$address" "$PERENNIAL_BOOTSTRAP_CLIENT_ID" "$1" <<'PY'
import http.client, json, sys
address, client, path = sys.argv[1:]
connection, cursor, ids = http.client.HTTPConnection(address), "", []
while True:
    connection.request("GET", "/subscriptions?limit=200" + (f"&cursor={cursor}" if cursor else ""), headers={"client-id": client})
    page = json.load(connection.getresponse())
    ids += [record["id"] for record in page["data"]]
    cursor = page["page"]["next_cursor"]
    if not cursor:
        break
open(path, "w").write("\n".join(ids) + "\n")
print(len(ids))
PY
}

start
call "http://$address/subscription-plans" -d '{"name":"Figures","slug":"figures","price":1,"billing_cycle":"monthly"}' >/dev/null
for number in $(seq 200); do
  "$perennial" user create --data-dir "$store/data" --email "user$number@example.com" --json
done | sed -n 's/.*"id":"\(usr_[^"]*\)".*/\1/p' >"$store/users"
echo "idle memory: $(awk '/VmRSS/ {print $2 / 1024 " MiB"}' "/proc/$server/status")"

load creates "$here/create.lua" "$store/users"
made=$(count "$store/ids")
echo "rows counted afterwards: $made"
while [ "$made" -lt "$rows" ]; do
  load more "$here/create.lua" "$store/users" >/dev/null
  made=$(count "$store/ids")
done
shuf -n "$rows" "$store/ids" >"$store/chosen"
load "reads by id" "$here/read.lua" "$store/chosen"
load "creates beside reads" "$here/create.lua" "$store/users" &
creating=$!
load "reads beside creates" "$here/read.lua" "$store/chosen"
wait "$creating"
echo "rows counted afterwards: $(count "$store/ids")"
echo "memory after: $(awk '/VmRSS/ {print $2 / 1024 " MiB"}' "/proc/$server/status")"

stop
before=$(date +%s%N)
start
until curl -sf "http://$address/readyz" >/dev/null; do :; done
echo "start to ready on that store: $((($(date +%s%N) - before) / 1000000)) ms"
stop
