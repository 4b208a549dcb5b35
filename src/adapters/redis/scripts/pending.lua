-- pending.lua: returns the amount of work from counters, without scanning.
-- include: crawl
-- Returns {'again'}, or {'ok', ready for this worker, delayed, time of the first delayed one (ms) or '', leased by this worker,
-- leased by others, 1 if the starts are complete, time of the last activity (ms) or '', state of the crawl or '',
-- number of requests that were ever queued}.

if requeueDue() then return reply({'again'}) end
reply()
local n = call('HMGET', K.counts, 'waiting', 'free', 'resting', 'leased', 'complete', 'activeAt', 'state', 'arrivals')
local waiting, free, resting, leased = tonumber(n[1]) or 0, tonumber(n[2]) or 0, tonumber(n[3]) or 0, tonumber(n[4]) or 0
local ready, out = 0, 0
if me ~= '' then
  ready = tonumber(call('HGET', K.worker .. me, 'ready')) or 0
  out = call('ZCARD', K.leased .. me)
end
local due = quietUntil()
local held = due and free or 0
for _, line in ipairs({K.delayed, K.resting}) do
  local first = tonumber(call('ZRANGE', line, 0, 0, 'WITHSCORES')[2])
  if first and (not due or first < due) then due = first end
end
local elsewhere = waiting - free - resting - ready + leased - out
local delayed = call('ZCARD', K.delayed) + resting + held
local dueAt = due and string.format('%.0f', due) or ''
return {'ok', free - held + ready, delayed, dueAt, out, elsewhere, n[5] and 1 or 0, n[6] or '', n[7] or '', n[8] or '0'}
