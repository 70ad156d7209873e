require_relative "snippet"

$stdin.set_encoding("UTF-8")
$stdin.each_line(chomp: true) do |line|
  id, timestamp, signatures, tolerance, secrets, body = line.split("\t", -1)
  puts valid?(body, id, timestamp, signatures, secrets.split(","), tolerance.to_i) ? "valid" : "invalid"
end
