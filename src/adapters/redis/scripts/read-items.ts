import { ITEM_LIST } from './item-list.ts'
import { script } from './script.ts'
import { SHARED } from './shared.ts'

/** Items by their numbers, which count from the first item of the crawl, also when others have taken items from the front. */
export const READ_ITEMS = script(
  'read-items',
  SHARED,
  ITEM_LIST,
  `
-- ARGV 7 position after which to read  8 items at most
-- Returns {position of the first, items, URLs, items before the first that has a URL}.
local held = call('LLEN', KEYS[2])
-- Others may also have added some: then nobody knows what is gone.
local gone = math.max((tonumber(call('HGET', K.counts, 'items')) or 0) - held, 0)
local from = math.max(tonumber(ARGV[FIRST]) - gone, 0)
local upTo = from + tonumber(ARGV[FIRST + 1]) - 1
-- The URLs stand beside the last items.
local ahead = call('LLEN', K.itemUrls) - held
local urls = upTo + ahead < 0 and {} or call('LRANGE', K.itemUrls, math.max(from + ahead, 0), upTo + ahead)
return {gone + from + 1, call('LRANGE', KEYS[2], from, upTo), urls, math.max(-(from + ahead), 0)}
`,
)
