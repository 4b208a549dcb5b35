import { script } from './script.ts'
import { SHARED } from './shared.ts'

/** Restores the throttle state of hosts that Redis may have forgotten, from what a worker remembers. It may be repeated. */
export const KEEP_PACES = script(
  'keep-paces',
  SHARED,
  `
-- ARGV 7… for each host: host, its next allowed time (ms), when its pace may be forgotten (ms), pace
for i = FIRST, #ARGV, 4 do
  local host, readyAt = ARGV[i], tonumber(ARGV[i + 1])
  local known = tonumber((call('HGET', K.paces, host) or ''):match('"readyAt":([%d.]+)')) or 0
  if readyAt > known then
    call('HSET', K.paces, host, ARGV[i + 3])
    local forgetAt = tonumber(call('ZSCORE', K.fades, host)) or 0
    call('ZADD', K.fades, math.max(forgetAt, tonumber(ARGV[i + 2])), host)
    if readyAt > now and call('HEXISTS', K.owners, host) == 0 then
      if call('ZSCORE', K.resting, host) then call('ZADD', K.resting, readyAt, host)
      else
        local n = call('ZCARD', K.wait .. host)
        leaveLine(K.free, host)
        if n > 0 then call('ZADD', K.resting, readyAt, host) end
        count('free', -n)
        count('resting', n)
      end
    end
  end
end
reply()
`,
)
