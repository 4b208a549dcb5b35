-- item-consumer.lua: for scripts of item consumers. They need no worker: items outlive the crawl.
-- include: keys
-- KEYS[2] items: list of items
-- ARGV[1] now: time (ms)
-- ARGV[2] name: name of the consumer
-- ARGV[3] token: identifies the process, as another one may use the same name

local now, name, token = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local me, mine = K.consumer .. name, K.itemTaking .. name
local KEPT_SECONDS = 30 * 24 * 3600
local function isReplaced() return call('HGET', me, 'token') ~= token end
