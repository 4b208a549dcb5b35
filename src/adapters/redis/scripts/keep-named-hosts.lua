-- keep-named-hosts.lua: stores whether hosts of start URLs have a private address. The first stored value wins.
-- include: keys
-- ARGV[1…] hosts: host, '1' or '0'
-- Returns nothing.

for i = 1, #ARGV, 2 do call('HSETNX', K.namedHosts, ARGV[i], ARGV[i + 1]) end
