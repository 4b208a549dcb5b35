import type { JobKeys } from '../src/adapters/redis/keys.ts'
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts'
import { readScript, script } from '../src/adapters/redis/redis-scripts.ts'

/**
 * Counts all entries in Redis and compares the sums with the counters and queues that the scripts maintain. Returns the differences.
 * For one server, not a cluster: it searches for keys by name.
 */
export async function brokenInvariants(
  connection: RedisConnection,
  { base, items }: JobKeys,
  order: string,
): Promise<readonly string[]> {
  const args = [order, '', '0', '0', '0', '0']
  return (await connection.run(COUNT_ALL, [base, items], args)) as string[]
}

const COUNT_ALL = script(
  'count-all',
  `${readScript('shared/crawl')}
local wrong = {}
local function expect(what, is, must)
  if is ~= must then wrong[#wrong + 1] = what .. ': ' .. tostring(is) .. ', not ' .. tostring(must) end
end
local function counter(name) return tonumber(call('HGET', K.counts, name)) or 0 end
local function has(line, host)
  local arrival = first(host)
  return call('ZSCORE', line, RANKED and (arrival or '') .. host or host) ~= false
end
local waiting, free, resting, requests, lineLength = 0, 0, 0, 0, 0
local ready, open = {}, {}
for _, key in ipairs(call('KEYS', (K.wait:gsub('([%[%]%*%?])', '\\\\%1')) .. '*')) do
  local host, n = key:sub(#K.wait + 1), call('ZCARD', key)
  local owner = call('HGET', K.owners, host)
  waiting = waiting + n
  if owner then
    ready[owner] = (ready[owner] or 0) + n
    open[owner] = (open[owner] or 0) + 1
    expect(host .. ' is in the line of its owner', has(K.open .. owner, host), true)
    expect(host .. ' is free', has(K.free, host), false)
  elseif call('ZSCORE', K.resting, host) then
    resting = resting + n
    expect(host .. ' is free during its delay', has(K.free, host), false)
  else
    free = free + n
    lineLength = lineLength + 1
    expect(host .. ' is free', has(K.free, host), true)
  end
end
local leased = 0
for _, worker in ipairs(call('ZRANGE', K.workers, 0, -1)) do
  local out = {}
  for _, arrival in ipairs(call('ZRANGE', K.leased .. worker, 0, -1)) do
    local request = read(arrival)
    leased = leased + 1
    if request then
      out[request.host] = (out[request.host] or 0) + 1
      expect('the owner of ' .. request.host, call('HGET', K.owners, request.host), worker)
    end
  end
  for host, n in pairs(out) do expect('out of ' .. host, tonumber(call('HGET', K.held .. worker, host)), n) end
  expect('ready of ' .. worker, tonumber(call('HGET', K.worker .. worker, 'ready')) or 0, ready[worker] or 0)
  expect('line of ' .. worker, call('ZCARD', K.open .. worker), open[worker] or 0)
end
expect('waiting', counter('waiting'), waiting)
expect('free', counter('free'), free)
expect('resting', counter('resting'), resting)
expect('leased', counter('leased'), leased)
expect('length of the free line', call('ZCARD', K.free), lineLength)
expect('requests', call('HLEN', K.requests), waiting + leased + call('ZCARD', K.delayed))
local seen = 0
for _, key in ipairs(call('KEYS', (K.seen:gsub('([%[%]%*%?])', '\\\\%1')) .. '*')) do seen = seen + call('SCARD', key) end
expect('seen', counter('seen'), seen)
return wrong
`,
)
