import { LUA_KEYS } from '../keys.ts'
import { script } from './script.ts'

/** A batch of start messages is in the frontier. */
export const ACKNOWLEDGE_STARTS = script(
  'acknowledge-starts',
  `
-- KEYS 1 base of the job's keys   2 messages that could not be read
-- ARGV 1 name of the batch  2… those of it that could not be read, as JSON
-- Returns 1, or 0 when it was acknowledged before or somebody else has it now.
local K = {
${LUA_KEYS}
}
redis.call('ZREM', K.takings, ARGV[1])
if redis.call('DEL', K.taking .. ARGV[1]) == 0 then return 0 end
for i = 2, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[i]) end
return 1
`,
)
