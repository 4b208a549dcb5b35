import { script } from './script.ts'
import { SHARED } from './shared.ts'

/** Items by their numbers, which count from the first item of the crawl, also when others have taken items from the front. */
export const READ_ITEMS = script(
  'read-items',
  SHARED,
  `
-- ARGV 8 position after which to read  9 items at most
-- Returns {position of the first, items, URLs}.
local held = call('LLEN', KEYS[2])
local gone = (tonumber(call('HGET', K.counts, 'items')) or 0) - held
local from = math.max(tonumber(ARGV[FIRST]) - gone, 0)
local urls = call('LLEN', K.itemUrls) - held + from
local last = tonumber(ARGV[FIRST + 1]) - 1
return {gone + from + 1, call('LRANGE', KEYS[2], from, from + last), call('LRANGE', K.itemUrls, urls, urls + last)}
`,
)
