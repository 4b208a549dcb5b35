import { LUA_KEYS } from '../keys.ts'

/** What the scripts for consumers of items begin with. They need no worker: items outlive the crawl. */
export const ITEMS = `
-- KEYS 1 base of the job's keys   2 items
-- ARGV 1 now (ms)  2 name of the consumer  3 its token, which another process of that name has not; a script's own arguments follow
local K = {
${LUA_KEYS}
}
local call = redis.call
local now, name, token = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local me, mine = K.consumer .. name, K.itemTaking .. name
local KEPT_SECONDS = 30 * 24 * 3600
local function isReplaced() return call('HGET', me, 'token') ~= token end
`
