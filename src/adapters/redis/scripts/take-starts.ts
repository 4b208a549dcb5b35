import { script } from './script.ts'
import { STARTS } from './starts.ts'

/** Start messages are put aside for one process: first a batch that its taker did not add in time, then new ones. */
export const TAKE_STARTS = script(
  'take-starts',
  STARTS,
  `
-- ARGV 2 now (ms)  3 name of the batch: the same when the call is repeated  4 messages at most  5 their bytes at most, unless it is one message
--      6 how long they are put aside (ms)
-- Returns {'ok', messages}, each as 't' and its text when it is plain ASCII, else as 'x' and its bytes in hexadecimal.
local now, batch, most, mostBytes = tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local mine = K.taking .. batch
local function keep() call('ZADD', K.takings, now + tonumber(ARGV[6]), batch) end

local HEX = {}
local function told(message)
  if not message:find('[\\128-\\255]') then return 't' .. message end
  if not HEX[' '] then
    for i = 0, 255 do HEX[string.char(i)] = string.format('%02x', i) end
  end
  return 'x' .. message:gsub('.', HEX)
end
local function taken()
  local messages = call('LRANGE', mine, 0, -1)
  for i, message in ipairs(messages) do messages[i] = told(message) end
  return {'ok', messages}
end

if call('EXISTS', mine) == 1 then return taken() end

local late = call('ZRANGEBYSCORE', K.takings, '-inf', now, 'LIMIT', 0, 1)[1]
if late then
  call('ZREM', K.takings, late)
  if call('EXISTS', K.taking .. late) == 1 then
    call('RENAME', K.taking .. late, mine)
    keep()
    return taken()
  end
end

local messages = {}
if kind == 'list' then messages = call('LRANGE', KEYS[2], 0, most - 1)
elseif kind == 'set' then messages = call('SRANDMEMBER', KEYS[2], most)
elseif kind == 'zset' then messages = call('ZREVRANGE', KEYS[2], 0, most - 1) end
local n, bytes = 0, 0
for i, message in ipairs(messages) do
  bytes = bytes + #message
  if i > 1 and bytes > mostBytes then break end
  n = i
end
if n == 0 then return {'ok', {}} end

if kind == 'list' then call('LTRIM', KEYS[2], n, -1)
elseif kind == 'set' then call('SREM', KEYS[2], unpack(messages, 1, n))
else call('ZREMRANGEBYRANK', KEYS[2], -n, -1) end
call('RPUSH', mine, unpack(messages, 1, n))
keep()
return taken()
`,
)
