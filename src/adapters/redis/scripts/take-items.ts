import { ITEMS } from './items.ts'
import { script } from './script.ts'

/**
 * Items are put aside for one consumer: those that it has and did not acknowledge, else a batch whose consumer did not in time, else
 * new ones from the front of the list.
 */
export const TAKE_ITEMS = script(
  'take-items',
  ITEMS,
  `
-- ARGV 4 items at most  5 their bytes at most, unless it is one item  6 how long they are put aside (ms)
-- Returns {'ok', {item, URL of its page or '', its number, …}}, {'replaced'}, or {'kind', what Redis calls the key of the items}.
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

-- The URLs stand beside the last items of the list: others may have taken some from its front, or put some there that have none.
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
`,
)
