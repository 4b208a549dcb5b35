import { LUA_KEYS } from '../keys.ts'
import { script } from './script.ts'

/** The order that a job hands out its requests in. */
export const READ_ORDER = script(
  'read-order',
  `
-- KEYS 1 base of the job's keys
-- Returns it, or '' when nobody has worked on the job yet.
local K = {
${LUA_KEYS}
}
return redis.call('HGET', K.counts, 'order') or ''
`,
)
