import { script } from './script.ts'
import { STARTS } from './starts.ts'

/** Start messages are put aside for one process: first a batch that its taker did not acknowledge in time, then new ones. */
export const TAKE_STARTS = script(
  'take-starts',
  STARTS,
  `
-- ARGV 2 now (ms)  3 name of the batch: the same when the call is repeated  4 messages at most  5 how long they are put aside (ms)
-- Returns {'ok', messages}.
local now, batch, most = tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local mine = K.taking .. batch
local function keep() call('ZADD', K.takings, now + tonumber(ARGV[5]), batch) end

local earlier = call('LRANGE', mine, 0, -1)
if #earlier > 0 then return {'ok', earlier} end

local late = call('ZRANGEBYSCORE', K.takings, '-inf', now, 'LIMIT', 0, 1)[1]
if late then
  call('ZREM', K.takings, late)
  if call('EXISTS', K.taking .. late) == 1 then
    call('RENAME', K.taking .. late, mine)
    keep()
    return {'ok', call('LRANGE', mine, 0, -1)}
  end
end

local messages = {}
if kind == 'list' then
  messages = call('LRANGE', KEYS[2], 0, most - 1)
  call('LTRIM', KEYS[2], most, -1)
elseif kind == 'set' then
  messages = call('SPOP', KEYS[2], most)
elseif kind == 'zset' then
  messages = call('ZREVRANGE', KEYS[2], 0, most - 1)
  call('ZREMRANGEBYRANK', KEYS[2], -most, -1)
end
if #messages > 0 then
  call('RPUSH', mine, unpack(messages))
  keep()
end
return {'ok', messages}
`,
)
