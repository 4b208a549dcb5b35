-- scrapy-window.lua: reads a range of the queue of scrapy-redis in the order in which scrapy-redis hands out requests; of a list, oldest first.
-- include: keys

local function window(queue, first, last)
  local kind = call('TYPE', queue).ok
  if kind == 'zset' then return kind, call('ZRANGE', queue, first, last) end
  if kind ~= 'list' then return kind, {} end
  -- scrapy-redis pushes to the left.
  local members, oldestFirst = call('LRANGE', queue, -last - 1, -first - 1), {}
  for i = #members, 1, -1 do oldestFirst[#oldestFirst + 1] = members[i] end
  return kind, oldestFirst
end
