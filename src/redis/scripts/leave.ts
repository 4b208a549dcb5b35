import { script } from './script.ts'
import { SHARED } from './shared.ts'

/** A worker goes; what it still has waits as before. */
export const LEAVE = script(
  'leave',
  SHARED,
  `
-- Returns 'ok', or 'again' when there is more to put back.
if call('ZSCORE', K.workers, me) == false then return 'ok' end
return reply(takeBack(me, SOME, false) and 'ok' or 'again')
`,
)
