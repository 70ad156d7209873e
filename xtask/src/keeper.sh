# Keeps a temporary PostgreSQL for as long as the other end of our standard input is open. However xtask ends, the
# pipe closes with it, and the server and its directory go. Arguments: the directory, the programs' directory, and
# the server's own arguments. Prints the server's process id, or an empty line when there is none.
trap '' HUP
directory=$1
programs=$2
shift 2

initialize() {
    "$programs/initdb" --pgdata=data --username=postgres --auth=trust --encoding=UTF8 --locale=C --no-sync "$@" >>log 2>&1
}

# A linguistic default order shows a query that forgot COLLATE "C"; servers before 15 or without ICU cannot have it.
server=
if initialize --locale-provider=icu --icu-locale=en || { rm -rf data && initialize; }; then
    "$programs/postgres" -D data "$@" >>log 2>&1 </dev/null &
    server=$!
fi
echo "$server"

cat >/dev/null
if [ -n "$server" ]; then
    kill -s INT "$server" 2>/dev/null
    wait "$server"
fi
cd / && rm -rf -- "$directory"
