-- Creates subscriptions of random users, whose ids stand in a file, one a line.
local users = {}

function init(arguments)
  for line in io.lines(arguments[1]) do users[#users + 1] = line end
  math.randomseed(tonumber(arguments[2] or "1"))
  wrk.headers["content-type"] = "application/json"
end

function request()
  local body = '{"user_id":"' .. users[math.random(#users)] .. '","subscription_plan_id":"figures"}'
  return wrk.format("POST", "/subscriptions", nil, body)
end
