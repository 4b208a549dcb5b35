-- counts.lua: returns the counters of the crawl.
-- include: crawl, item-list, seen
-- Returns {name, number, …}.

local list = {
  'delayed', call('ZCARD', K.delayed), 'itemsLeft', call('LLEN', KEYS[2]), 'freeHosts', call('ZCARD', K.free),
  'restingHosts', call('ZCARD', K.resting), 'heldHosts', call('HLEN', K.owners),
}
for _, value in ipairs(call('HGETALL', K.counts)) do list[#list + 1] = value end
-- After the counter of that name, which belongs to this crawl alone.
list[#list + 1] = 'seen'
list[#list + 1] = seenCount()
return list
