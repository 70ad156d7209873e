# Keeps a PostgreSQL for as long as the other end of our standard input is open: however the instrument ends, the pipe
# closes with it, and the server goes. Arguments: the program and its own arguments. Prints the server's process id.
trap '' HUP INT
"$@" >>log 2>&1 </dev/null &
server=$!
echo "$server"
cat >/dev/null
kill -s INT "$server" 2>/dev/null
wait "$server"
