-- read-host-delays.lua: reads the delays of hosts that an operator set. Read-only.
-- include: keys
-- Returns {host, delay (ms), …}.

return call('HGETALL', K.hostDelays)
