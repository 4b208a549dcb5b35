import { script } from './script.ts'
import { SHARED } from './shared.ts'

/** Rejected items, by their place in the list. */
export const READ_REJECTED = script(
  'read-rejected',
  SHARED,
  `
-- ARGV 7 position after which to read  8 items at most
local from = tonumber(ARGV[FIRST])
return call('LRANGE', K.rejected, from, from + tonumber(ARGV[FIRST + 1]) - 1)
`,
)

/** Dead letters, oldest first. */
export const READ_DEAD = script(
  'read-dead',
  SHARED,
  `
-- ARGV 7 number after which to read  8 letters at most
-- Returns {letter, number, …}.
return call('ZRANGEBYSCORE', K.dead, '(' .. ARGV[FIRST], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[FIRST + 1])
`,
)

/** What in Redis could not be read as a request. */
export const READ_MALFORMED = script(
  'read-malformed',
  SHARED,
  `
-- ARGV 7 at most
return call('LRANGE', K.malformed, 0, tonumber(ARGV[FIRST]) - 1)
`,
)
