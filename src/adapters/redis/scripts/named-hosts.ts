import { LUA_KEYS } from '../keys.ts'
import { script } from './script.ts'

const KEYS = `
-- KEYS 1 base of the job's keys
local K = {
${LUA_KEYS}
}
`

/** ARGV hosts. Returns for each '1' or '0', whether it was private when it was named, or '' if it was not named yet. */
export const READ_NAMED_HOSTS = script(
  'read-named-hosts',
  KEYS,
  `
local known = redis.call('HMGET', K.namedHosts, unpack(ARGV))
for i = 1, #ARGV do known[i] = known[i] or '' end
return known
`,
)

/** ARGV host, '1' or '0', host, … What another worker wrote first stays. */
export const KEEP_NAMED_HOSTS = script(
  'keep-named-hosts',
  KEYS,
  `for i = 1, #ARGV, 2 do redis.call('HSETNX', K.namedHosts, ARGV[i], ARGV[i + 1]) end`,
)
