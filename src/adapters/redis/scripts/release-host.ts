import { script } from './script.ts'
import { SHARED } from './shared.ts'

/** A worker ends its claim to a host. */
export const RELEASE_HOST = script(
  'release-host',
  SHARED,
  `
-- ARGV 7 host  8 next allowed time (ms)  9 when its pace may be forgotten (ms)  10 pace or ''
-- Returns 'ok', or 'lost' or 'behind'.
local refused = refusal(1)
if refused or earlier then return refused or earlier end
local host = ARGV[FIRST]
if call('HEXISTS', K.held .. me, host) == 1 then
  if ARGV[FIRST + 3] ~= '' then keepPace(host, ARGV[FIRST + 3], tonumber(ARGV[FIRST + 2])) end
  local out = call('HINCRBY', K.held .. me, host, -1)
  if out <= 0 then letGo(host, me, tonumber(ARGV[FIRST + 1]))
  elseif not RANKED then call('ZADD', K.open .. me, 'XX', out, host) end
end
return reply(keepReply('ok'))
`,
)
