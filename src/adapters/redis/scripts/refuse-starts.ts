import { LUA_KEYS } from '../keys.ts'
import { script } from './script.ts'

/** Some messages of a batch cannot be read, and are put aside with the reason. */
export const REFUSE_STARTS = script(
  'refuse-starts',
  `
-- KEYS 1 base of the job's keys   2 messages that could not be read
-- ARGV 1 name of the batch  2 messages in it  3… place of a message, counted from 0, and what to keep of it
-- Returns 1, or 0 when it was done before or somebody else has the batch now.
local K = {
${LUA_KEYS}
}
local call = redis.call
local mine = K.taking .. ARGV[1]
if call('LLEN', mine) ~= tonumber(ARGV[2]) then return 0 end
-- No message is like this: the name of the batch is not to be guessed.
local refused = 'refused ' .. ARGV[1]
for i = 3, #ARGV, 2 do
  call('LSET', mine, ARGV[i], refused)
  call('RPUSH', KEYS[2], ARGV[i + 1])
end
call('LREM', mine, 0, refused)
if call('EXISTS', mine) == 0 then call('ZREM', K.takings, ARGV[1]) end
return 1
`,
)
