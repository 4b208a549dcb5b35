import { script } from './script.ts'
import { SHARED } from './shared.ts'

/** A worker takes a host without a request of it. */
export const CLAIM_HOST = script(
  'claim-host',
  SHARED,
  `
-- ARGV 7 host
-- Returns {'lost'} or {'behind'}, {'busy'} when another worker has it or may have it, or {'ok', pace, when it was lost}.
local refused = refusal(1)
if refused or earlier == 'busy' then return {refused or earlier} end
local host = ARGV[FIRST]
local owner = call('HGET', K.owners, host)
local pace, lost = paceOf(host)
if earlier then return {'ok', pace, lost} end
if (owner or quietUntil()) and owner ~= me then return {keepReply('busy')} end
local n = call('ZCARD', K.wait .. host)
if not owner and n > 0 then
  if call('ZREM', K.resting, host) == 1 then count('resting', -n)
  else
    leaveLine(K.free, host)
    count('free', -n)
  end
  countReady(me, n)
end
call('HSET', K.owners, host, me)
local out = call('HINCRBY', K.held .. me, host, 1)
if n > 0 then stand(K.open .. me, host, out) end
keepReply('claimed')
return reply({'ok', pace, lost})
`,
)
