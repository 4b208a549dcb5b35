-- start-messages.lua: for scripts of start messages. They need no worker: any program may push messages.
-- include: keys
-- KEYS[2] startUrls: list, set or sorted set of start messages
-- ARGV[1] type: required type 'list', 'set' or 'zset', or '' for any of them
-- Each script returns {'kind', type} if the key holds something else.

local SIZE = {list = 'LLEN', set = 'SCARD', zset = 'ZCARD'}
local kind = call('TYPE', KEYS[2]).ok
if kind ~= 'none' and (not SIZE[kind] or (ARGV[1] ~= '' and ARGV[1] ~= kind)) then return {'kind', kind} end
