-- peek-scrapy.lua: reads pending requests of scrapy-redis without removing them. They are bytes, so they are returned in hex.
-- include: crawl, scrapy-window
-- ARGV[7] queue: its key
-- ARGV[8] first: index of the first request
-- ARGV[9] last: index of the last request
-- ARGV[10] maxBytes: maximum size of one request
-- ARGV[11] enoughBytes: no further request is read after this many bytes
-- Returns {SHA-1, the bytes in hex or 'long', …}.

local HEX = {}
for byte = 0, 255 do HEX[string.char(byte)] = string.format('%02x', byte) end
local most, enough = tonumber(ARGV[10]), tonumber(ARGV[11])
local _, members = window(ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9]))
local list, bytes = {}, 0
for _, member in ipairs(members) do
  if bytes >= enough then break end
  local isLong = #member > most
  list[#list + 1] = redis.sha1hex(member)
  list[#list + 1] = isLong and 'long' or (member:gsub('.', HEX))
  if not isLong then bytes = bytes + #member end
end
return list
