import { script } from './script.ts'
import { SEEN } from './seen.ts'
import { SHARED } from './shared.ts'
import { SIEVE } from './sieve.ts'

/** Requests that nobody has asked for before wait for their turn. */
export const ADD = script(
  'add',
  SHARED,
  SEEN,
  SIEVE,
  `
-- ARGV 7 'complete' when these are the last start requests, else ''
--      8 the batch of start messages that they were taken with, or ''; it is acknowledged by this   9… requests
-- Returns "added duplicates", or 'lost' or 'behind'.
local refused = refusal(1)
if refused or earlier then return refused or earlier end
local batch = ARGV[FIRST + 1]
if batch ~= '' then
  call('ZREM', K.takings, batch)
  -- It was added before, or its time was over and somebody else has it.
  if call('DEL', K.taking .. batch) == 0 then return keepReply('0 0') end
end
for i = FIRST + 2, #ARGV, 5 do add(i) end
growSieve()
if ARGV[FIRST] == 'complete' then call('HSET', K.counts, 'complete', 1) end
if added > 0 then active() end
count('added', added)
count('duplicates', duplicates)
return reply(keepReply(added .. ' ' .. duplicates))
`,
)
