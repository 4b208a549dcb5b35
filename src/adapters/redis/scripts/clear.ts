import { namesOf } from '../keys.ts'
import { script } from './script.ts'
import { RULE } from './seen.ts'
import { SHARED } from './shared.ts'

/**
 * The crawl is over at once: nothing of it is found any more, and nobody can join until the rest is removed. Only then do the many keys
 * of hosts, workers and fingerprints go, some at a time.
 */
export const BEGIN_CLEARING = script(
  'begin-clearing',
  SHARED,
  RULE,
  `
-- ARGV 7 'force' when it may have workers, else ''  8 'items' when these go, too, else ''  9 'starts' likewise  10… other keys to remove
-- Returns {'ok'}, or {'busy', number of workers}.
local workers = call('ZCOUNT', K.workers, '(' .. now, '+inf')
if workers > 0 and ARGV[FIRST] == '' then return {'busy', workers} end

local function remove(names)
  for _, name in ipairs(names) do call('UNLINK', KEYS[1] .. ':' .. name) end
end
-- A worker without these finds that it is none.
for _, fence in ipairs(call('ZRANGE', K.workers, 0, -1)) do
  call('UNLINK', K.worker .. fence, K.held .. fence, K.open .. fence, K.leased .. fence)
end
local dupefilter, _, where = readRule(call('HGET', K.counts, 'rule'))
if dupefilter ~= 'own' then call('UNLINK', where) end
local kept = call('HMGET', K.counts, 'fences', 'items')
call('DEL', K.counts)
call('HSET', K.counts, 'state', 'clearing')
if kept[1] then call('HSET', K.counts, 'fences', kept[1]) end
if kept[2] and ARGV[FIRST + 1] == '' then call('HSET', K.counts, 'items', kept[2]) end
remove({${luaList(namesOf('crawl').keys)}})
if ARGV[FIRST + 1] ~= '' then
  for _, consumer in ipairs(call('ZRANGE', K.itemTakings, 0, -1)) do call('UNLINK', K.itemTaking .. consumer) end
  remove({${luaList(namesOf('items').keys)}})
end
if ARGV[FIRST + 2] ~= '' then
  for _, batch in ipairs(call('ZRANGE', K.takings, 0, -1)) do call('UNLINK', K.taking .. batch) end
  remove({${luaList(namesOf('starts').keys)}})
end
for i = FIRST + 3, #ARGV do call('UNLINK', ARGV[i]) end
return {'ok'}
`,
)

/** Removes some of what a crawl left that is being cleared. Anybody may do so, also several at once, as often as they like. */
export const CLEAR_SOME = script(
  'clear-some',
  SHARED,
  `
-- ARGV 7 where to look: '0', then what the call before returned  8 keys to look at
-- Returns where to look next; '0': the crawl is cleared.
if call('HGET', K.counts, 'state') ~= 'clearing' then return '0' end
local base = KEYS[1] .. ':'
local found = call('SCAN', ARGV[FIRST], 'MATCH', base:gsub('[*?%[%]\\\\]', '\\\\%0') .. '*', 'COUNT', ARGV[FIRST + 1])
for _, key in ipairs(found[2]) do
  local name = key:sub(#base + 1)
  for _, family in ipairs({${luaList(namesOf('crawl').families)}}) do
    if name:sub(1, #family) == family then call('UNLINK', key) end
  end
end
if found[1] == '0' then call('HDEL', K.counts, 'state') end
return found[1]
`,
)

function luaList(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ')
}
