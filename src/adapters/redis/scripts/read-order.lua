-- read-order.lua: returns the order in which the crawl hands out requests.
-- include: keys
-- Returns the order, or '' if no worker has joined yet.

return call('HGET', K.counts, 'order') or ''
