-- publish.lua: appends entries to a stream.
-- KEYS[1] stream
-- ARGV[1] most: approximate number of entries to keep, '' to keep all
-- ARGV[2…] entries: kind, id, document; the document of a deletion is ''
-- Returns the number of entries.

local count = 0
for i = 2, #ARGV, 3 do
  local entry = {KEYS[1]}
  if ARGV[1] ~= '' then
    entry = {KEYS[1], 'MAXLEN', '~', ARGV[1]}
  end
  local fields = {'*', 'kind', ARGV[i], 'id', ARGV[i + 1]}
  for _, field in ipairs(fields) do table.insert(entry, field) end
  if ARGV[i + 2] ~= '' then
    table.insert(entry, 'document')
    table.insert(entry, ARGV[i + 2])
  end
  redis.call('XADD', unpack(entry))
  count = count + 1
end
return count
