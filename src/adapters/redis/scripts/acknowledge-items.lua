-- acknowledge-items.lua: confirms that a consumer has stored the items it took, together with the state it must remember.
-- include: item-consumer
-- ARGV[4] batch: number of the batch, or '' to store the state only
-- ARGV[5] state: what the consumer must remember, or '' to keep the stored state
-- ARGV[6…] unreadable: indexes (from 0) of items that could not be read; they are moved to a list of their own
-- Returns 'ok', 'replaced', or 'gone' if the batch expired and another consumer has it.

if isReplaced() then return 'replaced' end
-- The first write adds nothing, for a Redis whose memory is full: see join-items.
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
