import { script } from './script.ts'
import { SEEN } from './seen.ts'
import { SHARED } from './shared.ts'
import { SIEVE } from './sieve.ts'

/** Requests that failed for good get another chance, behind all others. */
export const RETRY_FAILED = script(
  'retry-failed',
  SHARED,
  SEEN,
  SIEVE,
  `
-- ARGV 7… the number of a dead letter, and its request (five arguments, without a fingerprint)
-- Returns how many were there, as text, or 'lost' or 'behind'.
local refused = refusal(1)
if refused or earlier then return refused or earlier end
for i = FIRST, #ARGV, 6 do
  if call('ZREMRANGEBYSCORE', K.dead, ARGV[i], ARGV[i]) > 0 then add(i + 1) end
end
if added > 0 then active() end
return reply(keepReply(tostring(added)))
`,
)
