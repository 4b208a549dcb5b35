import { script } from './script.ts'
import { SEEN } from './seen.ts'
import { SHARED } from './shared.ts'

/** URLs count as never seen. */
export const FORGET = script(
  'forget',
  SHARED,
  SEEN,
  `
-- ARGV 7 who calls: a unique id  8… two fingerprints of each URL
-- Returns how many of the URLs were known.
local mark = K.pushed .. ARGV[FIRST]
-- A call that is repeated because its reply was lost gets the same one.
local last = call('HMGET', mark, 'call', 'new')
if last[1] == callNo then return tonumber(last[2]) end

local function isRemoved(set, fingerprint)
  if not set or call('SREM', bucketOf(set, fingerprint), fingerprint) == 0 then return false end
  call('HINCRBY', set.state, 'seen', -1)
  return true
end
local function isForgotten(fingerprint)
  if isScrapy then return call('SREM', where, fingerprint) == 1 end
  return isRemoved(seenNow, fingerprint) or isRemoved(seenBefore, fingerprint)
end
local known = 0
for i = FIRST + 1, #ARGV, 2 do
  local first, second = isForgotten(ARGV[i]), isForgotten(ARGV[i + 1])
  if first or second then known = known + 1 end
end
call('HSET', mark, 'call', callNo, 'new', known)
call('EXPIRE', mark, 3600)
return known
`,
)
