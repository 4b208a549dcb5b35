-- count-items.lua: counts items that are not acknowledged: those in the list and those taken by consumers.
-- include: item-consumer
-- Returns the number.

local n = call('TYPE', KEYS[2]).ok == 'list' and call('LLEN', KEYS[2]) or 0
for _, consumer in ipairs(call('ZRANGE', K.itemTakings, 0, -1)) do n = n + call('LLEN', K.itemTaking .. consumer) / 3 end
return n
