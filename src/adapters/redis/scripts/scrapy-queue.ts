import { script } from './script.ts'
import { SEEN } from './seen.ts'
import { SHARED } from './shared.ts'
import { SIEVE } from './sieve.ts'

/** What a key of scrapy-redis holds. */
export const LOOK_AT_SCRAPY = script(
  'look-at-scrapy',
  SHARED,
  `
-- ARGV 7 key
-- Returns {its kind, how much is in it}.
local kind = call('TYPE', ARGV[FIRST]).ok
local size = ({list = 'LLEN', set = 'SCARD', zset = 'ZCARD'})[kind]
return {kind, size and call(size, ARGV[FIRST]) or 0}
`,
)

/** How many of some requests are in a dupefilter, by each of several ways to take their fingerprints. */
export const COUNT_MEMBERS = script(
  'count-members',
  SHARED,
  `
-- ARGV 7 dupefilter  8 number of ways  9… a fingerprint in each way, for each request
local ways, found = tonumber(ARGV[FIRST + 1]), {}
for way = 1, ways do found[way] = 0 end
for i = FIRST + 2, #ARGV do
  local way = (i - FIRST - 2) % ways + 1
  found[way] = found[way] + call('SISMEMBER', ARGV[FIRST], ARGV[i])
end
return found
`,
)

/** Requests in the order in which scrapy-redis would hand them out; of a list, the oldest first. */
const WINDOW = `
local function window(queue, first, last)
  local kind = call('TYPE', queue).ok
  if kind == 'zset' then return kind, call('ZRANGE', queue, first, last) end
  if kind ~= 'list' then return kind, {} end
  -- Python pushes to the left.
  local members, oldestFirst = call('LRANGE', queue, -last - 1, -first - 1), {}
  for i = #members, 1, -1 do oldestFirst[#oldestFirst + 1] = members[i] end
  return kind, oldestFirst
end
`

/** Looks at some of the requests that wait. They are bytes, which do not pass the connection as they are. */
export const PEEK_SCRAPY = script(
  'peek-scrapy',
  SHARED,
  WINDOW,
  `
-- ARGV 7 queue  8 first of them  9 last  10 bytes of one that are read at most  11 bytes after which no further one is read
-- Returns {SHA-1, the bytes in hex or 'long', …}.
local HEX = {}
for byte = 0, 255 do HEX[string.char(byte)] = string.format('%02x', byte) end
local most, enough = tonumber(ARGV[FIRST + 3]), tonumber(ARGV[FIRST + 4])
local _, members = window(ARGV[FIRST], tonumber(ARGV[FIRST + 1]), tonumber(ARGV[FIRST + 2]))
local list, bytes = {}, 0
for _, member in ipairs(members) do
  if bytes >= enough then break end
  local isLong = #member > most
  list[#list + 1] = redis.sha1hex(member)
  list[#list + 1] = isLong and 'long' or (member:gsub('.', HEX))
  if not isLong then bytes = bytes + #member end
end
return list
`,
)

/** Requests leave the queue of scrapy-redis and wait in the frontier, in one move. */
export const IMPORT_SCRAPY = script(
  'import-scrapy',
  SHARED,
  SEEN,
  SIEVE,
  WINDOW,
  `
-- ARGV 7 queue  8 list for what cannot be read  9 'keep' when they are to stay in the queue, too, else ''  10 where they were: first  11 last
--      12… SHA-1, what is wrong with it as JSON without the last brace or '', the request (five arguments)
-- Returns "added known unreadable", or 'lost' or 'behind'. Known: it was imported before, and stayed then. One that is gone is somebody else's now.
local refused = refusal(1)
if refused or earlier then return refused or earlier end
local queue, isKept = ARGV[FIRST], ARGV[FIRST + 2] ~= ''
local kind, members = window(queue, tonumber(ARGV[FIRST + 3]), tonumber(ARGV[FIRST + 4]))
local byDigest = {}
for _, member in ipairs(members) do byDigest[redis.sha1hex(member)] = member end
local function isTaken(member)
  if kind == 'zset' then return call('ZREM', queue, member) == 1 end
  return call('LREM', queue, -1, member) == 1
end

local known, unreadable = 0, 0
for i = FIRST + 5, #ARGV, 7 do
  local digest, problem = ARGV[i], ARGV[i + 1]
  local member = byDigest[digest]
  local score = member and kind == 'zset' and call('ZSCORE', queue, member) or '0'
  if member and (isKept or isTaken(member)) then
    if problem ~= '' then
      unreadable = unreadable + 1
      if not isKept then call('RPUSH', ARGV[FIRST + 1], problem .. ',"score":"' .. score .. '"}\\n' .. member) end
    else
      local isNewHere
      if isKept then isNewHere = call('SADD', K.imported, digest) == 1
      else isNewHere = call('SREM', K.imported, digest) == 0 end
      if isNewHere then add(i + 2, true) else known = known + 1 end
    end
  end
end
growSieve()
if added > 0 then active() end
count('added', added)
return reply(keepReply(added .. ' ' .. known .. ' ' .. unreadable))
`,
)
