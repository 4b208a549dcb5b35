import { ITEMS } from './items.ts'
import { script } from './script.ts'

/** What a consumer has taken is safe elsewhere, and what it must remember for that is kept: both or neither. */
export const ACKNOWLEDGE_ITEMS = script(
  'acknowledge-items',
  ITEMS,
  `
-- ARGV 4 number of the taking, or '' for none: then only the state is kept  5 what to remember, or '' for what is there
--      6… places of items that could not be read, counted from 0: they go to a list of their own
-- Returns 'ok', 'replaced', or 'gone' when the time was over and somebody else has them.
if isReplaced() then return 'replaced' end
-- Before anything is added, for a Redis whose memory is full: see join-items.
call('EXPIRE', me, KEPT_SECONDS)
if ARGV[4] ~= '' then
  if call('HGET', me, 'acknowledged') == ARGV[4] then return 'ok' end
  if call('EXISTS', mine) == 0 then return 'gone' end
  for i = 6, #ARGV do call('RPUSH', KEYS[2] .. ':malformed', call('LINDEX', mine, 3 * ARGV[i])) end
  call('DEL', mine)
  call('ZREM', K.itemTakings, name)
  call('HSET', me, 'acknowledged', ARGV[4])
end
if ARGV[5] ~= '' then call('HSET', me, 'state', ARGV[5]) end
return 'ok'
`,
)
