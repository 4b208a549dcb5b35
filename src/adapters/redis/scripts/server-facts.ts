import { LUA_KEYS } from '../keys.ts'
import { CRAWL_TIME } from './crawl-time.ts'
import { script } from './script.ts'

/** What must be known of the server that holds the job: asked by a script, it is that server of a cluster, too. */
export const SERVER_FACTS = script(
  'server-facts',
  `
-- KEYS 1 base of the job's keys
-- Returns {time of the crawl (ms), maxmemory-policy}.
local K = {
${LUA_KEYS}
}
${CRAWL_TIME}
return {string.format('%.0f', now), redis.call('INFO', 'memory'):match('maxmemory_policy:(%S+)') or ''}
`,
)
