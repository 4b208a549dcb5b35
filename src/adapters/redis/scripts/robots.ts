import { LUA_KEYS } from '../keys.ts'
import { script } from './script.ts'

const KEYS = `
-- KEYS 1 base of the job's keys   ARGV 1 origin
local K = {
${LUA_KEYS}
}
`

/** The record of an origin's robots.txt as JSON, '' when there is none. */
export const READ_ROBOTS = script('read-robots', KEYS, `return redis.call('GET', K.robots .. ARGV[1]) or ''`)

/** ARGV 2 the record as JSON   3 how long it is of use (ms) */
export const KEEP_ROBOTS = script(
  'keep-robots',
  KEYS,
  `redis.call('SET', K.robots .. ARGV[1], ARGV[2], 'PX', ARGV[3])`,
)
