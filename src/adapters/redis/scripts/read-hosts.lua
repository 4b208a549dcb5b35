-- read-hosts.lua: reads the pages and the cookies of hosts, for a worker that has leased them. Read-only.
-- include: crawl
-- ARGV[7] pages: number of hosts whose pages are read
-- ARGV[8…] hosts: those hosts, then hosts whose cookies are read
-- Returns {pages or '', …, cookies (JSON) or '', …}, in that order.

local list, n = {}, tonumber(ARGV[7])
for i = 8, #ARGV do
  list[#list + 1] = call('HGET', i < 8 + n and K.hostPages or K.cookies, ARGV[i]) or ''
end
return list
