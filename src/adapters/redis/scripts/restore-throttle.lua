-- restore-throttle.lua: restores the throttle state of hosts from what a worker remembers, as Redis may have lost it. Idempotent.
-- include: crawl
-- ARGV[7…] hosts: host, next allowed time (ms), time after which its throttle state may be forgotten (ms), throttle state (JSON)
-- Returns nothing.

for i = 7, #ARGV, 4 do
  local host, readyAt = ARGV[i], tonumber(ARGV[i + 1])
  local known = tonumber((call('HGET', K.paces, host) or ''):match('"readyAt":([%d.]+)')) or 0
  if readyAt > known then
    call('HSET', K.paces, host, ARGV[i + 3])
    local forgetAt = tonumber(call('ZSCORE', K.fades, host)) or 0
    call('ZADD', K.fades, math.max(forgetAt, tonumber(ARGV[i + 2])), host)
    if readyAt > now and call('HEXISTS', K.owners, host) == 0 then
      if call('ZSCORE', K.resting, host) then call('ZADD', K.resting, readyAt, host)
      else
        local n = call('ZCARD', K.wait .. host)
        removeFromLine(K.free, host)
        if n > 0 then call('ZADD', K.resting, readyAt, host) end
        count('free', -n)
        count('resting', n)
      end
    end
  end
end
reply()
