-- take-items.lua: reserves items for one consumer: its unacknowledged ones, otherwise an expired batch of another consumer, otherwise new ones.
-- include: item-consumer
-- ARGV[4] limit: maximum number of items
-- ARGV[5] maxBytes: maximum size of all, unless it is a single item
-- ARGV[6] reserved: how long they are reserved (ms)
-- Returns {'ok', {item, URL of its page or '', its number, …}}, {'replaced'}, or {'kind', type of the items key}.

if isReplaced() then return {'replaced'} end
call('EXPIRE', me, KEPT_SECONDS)
local kind = call('TYPE', KEYS[2]).ok
if kind ~= 'none' and kind ~= 'list' then return {'kind', kind} end

local function takeLate()
  local late = call('ZRANGEBYSCORE', K.itemTakings, '-inf', now, 'LIMIT', 0, 1)[1]
  if not late then return end
  call('ZREM', K.itemTakings, late)
  if call('EXISTS', K.itemTaking .. late) == 1 then call('RENAME', K.itemTaking .. late, mine) end
end

-- The URLs belong to the last items of the list: other programs may have taken items from its front, or added some without a URL.
local function takeNew()
  local held = call('LLEN', KEYS[2])
  local some = call('LRANGE', KEYS[2], 0, tonumber(ARGV[4]) - 1)
  local ahead = call('LLEN', K.itemUrls) - held
  local urls = call('LRANGE', K.itemUrls, math.max(ahead, 0), math.max(ahead + #some - 1, 0))
  local without = math.max(-ahead, 0)
  local n, bytes = 0, 0
  for i, item in ipairs(some) do
    bytes = bytes + #item
    if i > 1 and bytes > tonumber(ARGV[5]) then break end
    call('RPUSH', mine, item, urls[i - without] or '', call('INCR', K.itemsTaken))
    n = i
  end
  call('LTRIM', KEYS[2], n, -1)
  if held > n then call('LTRIM', K.itemUrls, n - held, -1) else call('DEL', K.itemUrls) end
end

if call('EXISTS', mine) == 0 then takeLate() end
if call('EXISTS', mine) == 0 then takeNew() end
local taken = call('LRANGE', mine, 0, -1)
if #taken > 0 then call('ZADD', K.itemTakings, now + tonumber(ARGV[6]), name) end
return {'ok', taken}
