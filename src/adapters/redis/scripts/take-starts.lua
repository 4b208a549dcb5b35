-- take-starts.lua: reserves start messages for one process: first an expired batch, then new ones.
-- include: start-messages
-- ARGV[2] now: time (ms)
-- ARGV[3] batch: name of the batch; the same if the call is repeated
-- ARGV[4] limit: maximum number of messages
-- ARGV[5] maxBytes: maximum size of all, unless it is a single message
-- ARGV[6] reserved: how long they are reserved (ms)
-- Returns {'ok', messages}: 't' and the text for plain ASCII, otherwise 'x' and the bytes in hex.

local now, batch, most, mostBytes = tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local mine = K.taking .. batch
local function keep() call('ZADD', K.takings, now + tonumber(ARGV[6]), batch) end

local HEX = {}
local function encode(message)
  if not message:find('[\128-\255]') then return 't' .. message end
  if not HEX[' '] then
    for i = 0, 255 do HEX[string.char(i)] = string.format('%02x', i) end
  end
  return 'x' .. message:gsub('.', HEX)
end
local function taken()
  local messages = call('LRANGE', mine, 0, -1)
  for i, message in ipairs(messages) do messages[i] = encode(message) end
  return {'ok', messages}
end

if call('EXISTS', mine) == 1 then return taken() end

local late = call('ZRANGEBYSCORE', K.takings, '-inf', now, 'LIMIT', 0, 1)[1]
if late then
  call('ZREM', K.takings, late)
  if call('EXISTS', K.taking .. late) == 1 then
    call('RENAME', K.taking .. late, mine)
    keep()
    return taken()
  end
end

local messages = {}
if kind == 'list' then messages = call('LRANGE', KEYS[2], 0, most - 1)
elseif kind == 'set' then messages = call('SRANDMEMBER', KEYS[2], most)
elseif kind == 'zset' then messages = call('ZREVRANGE', KEYS[2], 0, most - 1) end
local n, bytes = 0, 0
for i, message in ipairs(messages) do
  bytes = bytes + #message
  if i > 1 and bytes > mostBytes then break end
  n = i
end
if n == 0 then return {'ok', {}} end

if kind == 'list' then call('LTRIM', KEYS[2], n, -1)
elseif kind == 'set' then call('SREM', KEYS[2], unpack(messages, 1, n))
else call('ZREMRANGEBYRANK', KEYS[2], -n, -1) end
call('RPUSH', mine, unpack(messages, 1, n))
keep()
return taken()
