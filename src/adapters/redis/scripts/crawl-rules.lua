-- crawl-rules.lua: returns the rules that all workers of the crawl share.
-- include: crawl
-- Returns {order, seen rule, number of shards}; '' for each that is not decided yet. The number stays when the crawl is cleared.

local rules = call('HMGET', K.counts, 'order', 'rule')
return {rules[1] or '', rules[2] or '', storedShards() or ''}
