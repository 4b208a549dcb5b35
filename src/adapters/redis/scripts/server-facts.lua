-- server-facts.lua: returns facts about the server that holds the crawl; in a cluster, of that node.
-- include: keys, crawl-time
-- Returns {time of the crawl (ms), maxmemory-policy}.

return {string.format('%.0f', now), call('INFO', 'memory'):match('maxmemory_policy:(%S+)') or ''}
