-- item-list.lua: checks the type of the items key, which any program may have written, before anything is changed: a script must not stop half way.
-- include: keys

local itemsKind = call('TYPE', KEYS[2]).ok
if itemsKind ~= 'list' and itemsKind ~= 'none' then
  return redis.error_reply('WRONGTYPE ' .. KEYS[2] .. ' must hold a list of items; it is a ' .. itemsKind)
end
