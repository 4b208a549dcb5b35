-- leave-items.lua: ends a consumer. Items that it has not acknowledged go to the next consumer.
-- include: item-consumer
-- Returns 'ok' or 'replaced'.

if isReplaced() then return 'replaced' end
-- In this order, for a Redis whose memory is full: see join-items.
call('HDEL', me, 'token')
call('ZADD', K.itemTakings, 'XX', 0, name)
if call('HEXISTS', me, 'state') == 0 then call('DEL', me) end
return 'ok'
