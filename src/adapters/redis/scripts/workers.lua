-- workers.lua: lists the workers of the crawl.
-- include: crawl
-- Returns {fence, name, joined at, heard at, expires at, requests leased, hosts held, status} for each (times in ms).

local all = {}
local list = call('ZRANGE', K.workers, 0, -1, 'WITHSCORES')
for i = 1, #list, 2 do
  local about = call('HMGET', K.worker .. list[i], 'name', 'joinedAt', 'heardAt', 'status')
  local out, held = call('ZCARD', K.leased .. list[i]), call('HLEN', K.held .. list[i])
  all[#all + 1] = {list[i], about[1] or '', about[2] or '', about[3] or '', list[i + 1], out, held, about[4] or ''}
end
return all
