import { script } from './script.ts'

/** What must be known of the server that holds the job: asked by a script, it is that server of a cluster, too. */
export const SERVER_FACTS = script(
  'server-facts',
  `
-- KEYS 1 any key of the job
-- Returns {time (s), and microseconds, maxmemory-policy}.
local time = redis.call('TIME')
return {time[1], time[2], redis.call('INFO', 'memory'):match('maxmemory_policy:(%S+)') or ''}
`,
)
