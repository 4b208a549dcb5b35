/** For the scripts that use the list of items, which anybody may have written to: asked before anything is changed, as a script must not stop half way. */
export const ITEM_LIST = `
local itemsKind = call('TYPE', KEYS[2]).ok
if itemsKind ~= 'list' and itemsKind ~= 'none' then
  return redis.error_reply('WRONGTYPE ' .. KEYS[2] .. ' must hold a list of items; it is a ' .. itemsKind)
end
`
