import { script } from './script.ts'
import { STARTS } from './starts.ts'

/** Somebody adds start messages. */
export const PUSH_STARTS = script(
  'push-starts',
  STARTS,
  `
-- ARGV 2 who pushes: something that nobody else has  3 number of the call  4… score, message
-- Returns {'ok', how many were new}.
local mark = K.pushed .. ARGV[2]
-- A call that is repeated because its reply was lost takes effect once.
local last = call('HMGET', mark, 'call', 'new')
if last[1] == ARGV[3] then return {'ok', tonumber(last[2])} end

if kind == 'none' then kind = ARGV[1] ~= '' and ARGV[1] or 'list' end
local new = 0
for i = 4, #ARGV, 2 do
  local score, message = ARGV[i], ARGV[i + 1]
  if kind == 'zset' then
    new = new + call('ZADD', KEYS[2], score, message)
  elseif kind == 'set' then
    new = new + call('SADD', KEYS[2], message)
  else
    call('RPUSH', KEYS[2], message)
    new = new + 1
  end
end
call('HSET', mark, 'call', ARGV[3], 'new', new)
call('EXPIRE', mark, 3600)
return {'ok', new}
`,
)
