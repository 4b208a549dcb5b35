import { script } from './script.ts'
import { SHARED } from './shared.ts'

/** Why requests are not handed out yet: some of those that are delayed, and of the hosts that rest. It changes nothing. */
export const DELAYS = script(
  'delays',
  SHARED,
  `
-- The last argument: how many of each at most.
-- Returns {{attempt of a delayed request, …}, when the first is due (ms) or '', {host that rests, its throttle state as JSON or '', …}}.
local most = tonumber(ARGV[#ARGV])
local attempts, hosts = {}, {}
local first = call('ZRANGE', K.delayed, 0, 0, 'WITHSCORES')[2]
for _, arrival in ipairs(call('ZRANGE', K.delayed, 0, most - 1)) do
  attempts[#attempts + 1] = (call('HGET', K.requests, arrival) or ''):match('^(%d+) ') or ''
end
for _, host in ipairs(call('ZRANGE', K.resting, 0, most - 1)) do
  hosts[#hosts + 1] = host
  hosts[#hosts + 1] = call('HGET', K.paces, host) or ''
end
return {attempts, first or '', hosts}
`,
)
