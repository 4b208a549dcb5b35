-- count-members.lua: counts how many requests are in a dupefilter, for each of several fingerprint families.
-- include: crawl
-- ARGV[7] dupefilter: its key
-- ARGV[8] families: number of families
-- ARGV[9…] fingerprints: one per family for each request
-- Returns the number found for each family.

local ways, found = tonumber(ARGV[8]), {}
for way = 1, ways do found[way] = 0 end
for i = 9, #ARGV do
  local way = (i - 7 - 2) % ways + 1
  found[way] = found[way] + call('SISMEMBER', ARGV[7], ARGV[i])
end
return found
