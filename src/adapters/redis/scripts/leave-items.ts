import { ITEMS } from './items.ts'
import { script } from './script.ts'

/** A consumer ends: what it has not acknowledged goes to whoever takes next. */
export const LEAVE_ITEMS = script(
  'leave-items',
  ITEMS,
  `
if isReplaced() then return 'replaced' end
-- In this order also with a full memory: see join-items.
call('HDEL', me, 'token')
call('ZADD', K.itemTakings, 'XX', 0, name)
if call('HEXISTS', me, 'state') == 0 then call('DEL', me) end
return 'ok'
`,
)

/** Items that nobody has acknowledged: those in the list, and those that somebody has taken. */
export const COUNT_ITEMS = script(
  'count-items',
  ITEMS,
  `
local n = call('TYPE', KEYS[2]).ok == 'list' and call('LLEN', KEYS[2]) or 0
for _, consumer in ipairs(call('ZRANGE', K.itemTakings, 0, -1)) do n = n + call('LLEN', K.itemTaking .. consumer) / 3 end
return n
`,
)
