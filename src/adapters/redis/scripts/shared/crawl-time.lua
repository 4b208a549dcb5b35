-- crawl-time.lua: the time of a crawl (ms): that of the Redis that holds it, so that no clock of a worker's machine decides who owns a host.
-- include: keys
-- It never goes back. If the clock of the server is set back, or a replica takes over whose clock is behind, the
-- difference is added from then on (clockShift). beat: when a script last looked for lost workers.

local clockShift, beat, serverTime, now
do
  local time, stored = redis.call('TIME'), redis.call('HMGET', K.counts, 'clockShift', 'beat')
  clockShift, beat = tonumber(stored[1]) or 0, tonumber(stored[2]) or 0
  -- Rounded down, as due times are rounded up: nothing is early.
  serverTime = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  now = math.max(serverTime + clockShift, beat)
end
