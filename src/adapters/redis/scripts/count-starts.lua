-- count-starts.lua: counts start messages that are not in the frontier yet, and unreadable ones.
-- include: start-messages
-- ARGV[2] malformed: list of unreadable messages
-- Returns {'ok', {waiting, unreadable}}.

local n = kind == 'none' and 0 or call(SIZE[kind], KEYS[2])
for _, batch in ipairs(call('ZRANGE', K.takings, 0, -1)) do n = n + call('LLEN', K.taking .. batch) end
return {'ok', {n, call('LLEN', ARGV[2])}}
