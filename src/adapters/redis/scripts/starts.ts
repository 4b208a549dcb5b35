import { LUA_KEYS } from '../keys.ts'

/** What the scripts for start messages begin with. They need no worker: people push, and look. */
export const STARTS = `
-- KEYS 1 base of the job's keys   2 start messages
-- ARGV 1 what they must be: 'list', 'set', 'zset', or '' for any of them; a script's own arguments follow
-- Each returns {'ok', …}, or {'kind', what Redis calls it} when the key holds something else.
local K = {
${LUA_KEYS}
}
local call = redis.call
local SIZE = {list = 'LLEN', set = 'SCARD', zset = 'ZCARD'}
local kind = call('TYPE', KEYS[2]).ok
if kind ~= 'none' and (not SIZE[kind] or (ARGV[1] ~= '' and ARGV[1] ~= kind)) then return {'kind', kind} end
`
