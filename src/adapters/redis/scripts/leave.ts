import { script } from './script.ts'
import { SHARED } from './shared.ts'

/** A worker goes; what it still has waits as before. */
export const LEAVE = script(
  'leave',
  SHARED,
  `
-- ARGV 7 'under way' when it has requested what it still has, or may have; else ''
-- Returns 'ok', or 'again' when there is more to put back.
if call('ZSCORE', K.workers, me) == false then return 'ok' end
return reply(takeBack(me, SOME, ARGV[FIRST] ~= '' and now or nil) and 'ok' or 'again')
`,
)
