-- import-scrapy.lua: moves requests from the queue of scrapy-redis to the frontier, atomically.
-- include: crawl, seen, filter-seen, scrapy-window
-- ARGV[7] queue: its key
-- ARGV[8] unreadable: list for unreadable requests
-- ARGV[9] keep: 'keep' if the requests stay in the queue as well, otherwise ''
-- ARGV[10] first: index of the first request
-- ARGV[11] last: index of the last request
-- ARGV[12…] requests: SHA-1, problem (JSON without the last brace) or '', then the request (five values)
-- Returns "added known unreadable", 'lost' or 'behind'. Known: imported before with 'keep'. A request that is no longer
-- in the queue was taken by another process and counts nowhere.

local reason = checkCall(1)
if reason or storedReply then return reason or storedReply end
local queue, isKept = ARGV[7], ARGV[9] ~= ''
local kind, members = window(queue, tonumber(ARGV[10]), tonumber(ARGV[11]))
local byDigest = {}
for _, member in ipairs(members) do byDigest[redis.sha1hex(member)] = member end
local function isTaken(member)
  if kind == 'zset' then return call('ZREM', queue, member) == 1 end
  return call('LREM', queue, -1, member) == 1
end

local known, unreadable = 0, 0
for i = 12, #ARGV, 7 do
  local digest, problem = ARGV[i], ARGV[i + 1]
  local member = byDigest[digest]
  local score = member and kind == 'zset' and call('ZSCORE', queue, member) or '0'
  if member and (isKept or isTaken(member)) then
    if problem ~= '' then
      unreadable = unreadable + 1
      if not isKept then call('RPUSH', ARGV[8], problem .. ',"score":"' .. score .. '"}\n' .. member) end
    else
      local isNewHere
      if isKept then isNewHere = call('SADD', K.imported, digest) == 1
      else isNewHere = call('SREM', K.imported, digest) == 0 end
      if isNewHere then add(i + 2, true) else known = known + 1 end
    end
  end
end
growSeen()
if added > 0 then markActive() end
count('added', added)
return reply(keepReply(added .. ' ' .. known .. ' ' .. unreadable))
