-- Reads random ids of a file, one id a line.
local ids = {}

function init(arguments)
  for line in io.lines(arguments[1]) do ids[#ids + 1] = line end
  math.randomseed(tonumber(arguments[2] or "1"))
end

function request()
  return wrk.format("GET", "/subscriptions/" .. ids[math.random(#ids)])
end
