-- retry-failed.lua: requeues dead letters, after all other requests.
-- include: crawl, seen, filter-seen
-- ARGV[7…] letters: number of the dead letter, then its request (five values, empty fingerprint)
-- Returns the number of letters found, as text, 'lost' or 'behind'.

local reason = checkCall(1)
if reason or storedReply then return reason or storedReply end
for i = 7, #ARGV, 6 do
  if call('ZREMRANGEBYSCORE', K.dead, ARGV[i], ARGV[i]) > 0 then add(i + 1) end
end
if added > 0 then markActive() end
return reply(keepReply(tostring(added)))
