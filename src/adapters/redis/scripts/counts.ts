import { ITEM_LIST } from './item-list.ts'
import { script } from './script.ts'
import { SEEN } from './seen.ts'
import { SHARED } from './shared.ts'

/** How far the job is. */
export const COUNTS = script(
  'counts',
  SHARED,
  ITEM_LIST,
  SEEN,
  `
-- Returns {name, number, …}.
local list = {
  'delayed', call('ZCARD', K.delayed), 'itemsLeft', call('LLEN', KEYS[2]), 'freeHosts', call('ZCARD', K.free),
  'restingHosts', call('ZCARD', K.resting), 'heldHosts', call('HLEN', K.owners),
}
for _, value in ipairs(call('HGETALL', K.counts)) do list[#list + 1] = value end
-- Behind the counter of that name, which is this crawl's own.
list[#list + 1] = 'seen'
list[#list + 1] = seenCount()
return list
`,
)
