import { script } from './script.ts'
import { SHARED, SIEVE } from './shared.ts'

/** Requests that nobody has asked for before wait for their turn. */
export const ADD = script(
  'add',
  SHARED,
  SIEVE,
  `
-- ARGV 8 'complete' when these are the last start requests, else ''   9… requests
-- Returns "added duplicates", or 'lost'.
if not lives() then return 'lost' end
local earlier = earlierReply()
if earlier then return earlier end
for i = FIRST + 1, #ARGV, 5 do add(i) end
growSieve()
if ARGV[FIRST] == 'complete' then call('HSET', K.counts, 'complete', 1) end
count('added', added)
count('duplicates', duplicates)
return reply(keepReply(added .. ' ' .. duplicates))
`,
)
