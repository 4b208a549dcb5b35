-- refuse-starts.lua: moves unreadable messages of a batch to the list of malformed messages, with the reason.
-- include: keys
-- KEYS[2] malformed: list of unreadable messages
-- ARGV[1] batch: name of the batch
-- ARGV[2] size: number of messages in it
-- ARGV[3…] refused: index of a message (from 0), value to store
-- Returns 1, or 0 if this was done before or another worker has the batch.

local mine = K.taking .. ARGV[1]
if call('LLEN', mine) ~= tonumber(ARGV[2]) then return 0 end
-- No message has this value: the name of the batch cannot be guessed.
local refused = 'refused ' .. ARGV[1]
for i = 3, #ARGV, 2 do
  call('LSET', mine, ARGV[i], refused)
  call('RPUSH', KEYS[2], ARGV[i + 1])
end
call('LREM', mine, 0, refused)
if call('EXISTS', mine) == 0 then call('ZREM', K.takings, ARGV[1]) end
return 1
