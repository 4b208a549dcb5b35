-- read-named-hosts.lua: reads whether hosts of start URLs had a private address when they were named.
-- include: keys
-- ARGV[1…] hosts
-- Returns '1', '0', or '' (not named yet) for each.

local known = call('HMGET', K.namedHosts, unpack(ARGV))
for i = 1, #ARGV do known[i] = known[i] or '' end
return known
