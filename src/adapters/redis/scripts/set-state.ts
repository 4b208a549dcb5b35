import { script } from './script.ts'
import { SHARED } from './shared.ts'

/** Somebody pauses a crawl, drains it, or lets it go on. */
export const SET_STATE = script(
  'set-state',
  SHARED,
  `
-- ARGV 7 state, or '' to go on
-- Returns the state before, or ''. A crawl that is being cleared stays so.
local before = call('HGET', K.counts, 'state') or ''
if before ~= 'clearing' then
  -- Removed first: then a Redis whose memory is full takes the new one, too.
  call('HDEL', K.counts, 'state')
  if ARGV[FIRST] ~= '' then call('HSET', K.counts, 'state', ARGV[FIRST]) end
end
return before
`,
)
