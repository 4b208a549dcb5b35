import { script } from './script.ts'
import { STARTS } from './starts.ts'

/** Start messages that are not in the frontier for certain, and those that could not be read. */
export const COUNT_STARTS = script(
  'count-starts',
  STARTS,
  `
-- ARGV 2 list of those that could not be read
-- Returns {'ok', {number, number}}.
local n = kind == 'none' and 0 or call(SIZE[kind], KEYS[2])
for _, batch in ipairs(call('ZRANGE', K.takings, 0, -1)) do n = n + call('LLEN', K.taking .. batch) end
return {'ok', {n, call('LLEN', ARGV[2])}}
`,
)
