-- clear-some.lua: removes some of the keys of a crawl that is being cleared. Idempotent; several processes may run it at once.
-- include: crawl
-- ARGV[7] cursor: '0', then the value that the previous call returned
-- ARGV[8] count: number of keys to scan
-- ARGV[9…] families: prefixes of the key names to remove
-- Returns the next cursor; '0' when the crawl is cleared.

if call('HGET', K.counts, 'state') ~= 'clearing' then return '0' end
local base = KEYS[1] .. ':'
local found = call('SCAN', ARGV[7], 'MATCH', base:gsub('[*?%[%]\\]', '\\%0') .. '*', 'COUNT', ARGV[8])
for _, key in ipairs(found[2]) do
  local name = key:sub(#base + 1)
  for i = 9, #ARGV do
    if name:sub(1, #ARGV[i]) == ARGV[i] then call('UNLINK', key) end
  end
end
if found[1] == '0' then call('HDEL', K.counts, 'state') end
return found[1]
