import { script } from './script.ts'
import { SHARED } from './shared.ts'

/** A worker says that it lives; its lease, and with it that of all its hosts, begins anew. */
export const RENEW = script(
  'renew',
  SHARED,
  `
-- ARGV 7 what it says about itself (JSON)
-- Returns {'ok', state of the crawl or ''}, {'lost'} when its lease ended and what it had was given to others, {'behind'} when Redis has forgotten calls
-- of it, or {'again'} when others have left something to put in line.
local refused = refusal(0)
if refused then return {refused} end
call('ZADD', K.workers, now + leaseMs, me)
call('HSET', K.worker .. me, 'status', ARGV[FIRST], 'heardAt', now)
return reply(tend() and {'again'} or {'ok', call('HGET', K.counts, 'state') or ''})
`,
)
