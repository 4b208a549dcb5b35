-- keep-cookies.lua: stores the cookies of hosts for their next owners.
-- include: crawl
-- ARGV[7…] hosts: host, cookies (JSON) or '' for none
-- Returns 'ok', 'lost' or 'behind'.

local reason = checkCall(1)
if reason or storedReply then return reason or storedReply end
for i = 7, #ARGV, 2 do
  local host, cookies = ARGV[i], ARGV[i + 1]
  if call('HGET', K.owners, host) == me then
    if cookies == '' then call('HDEL', K.cookies, host) else call('HSET', K.cookies, host, cookies) end
  end
end
return reply(keepReply('ok'))
