import { beforeEach, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { CookieJar, type CookieState } from './cookie-jar.ts'
import { type CookieMemory, keepCookies } from './keep-cookies.ts'

const URL_A = new URL('http://a.test/')

/** Remembers in this process, and can be told to fail. */
class TestMemory implements CookieMemory {
  readonly saves: string[][] = []
  states: readonly CookieState[] = []
  failing = false

  load(): Promise<readonly CookieState[]> {
    return Promise.resolve(this.states)
  }

  async save(states: readonly CookieState[]): Promise<void> {
    await Promise.resolve()
    if (this.failing) throw new Error('disk full')
    this.states = states
    this.saves.push(states.map(({ name, value }) => `${name}=${value}`))
  }
}

let clock: FakeClock
let memory: TestMemory
let jar: CookieJar

beforeEach(() => {
  clock = new FakeClock()
  memory = new TestMemory()
  jar = new CookieJar(clock)
})

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('gives the next process what the last one had', async () => {
  await keepCookies(jar, memory, clock, async () => jar.store(['id=1'], URL_A))
  const next = new CookieJar(clock)
  const sent = await keepCookies(next, memory, clock, async () => next.headerFor(URL_A))
  expect(sent).toBe('id=1')
})

it('saves a change within five seconds, and nothing when nothing changed', async () => {
  await keepCookies(jar, memory, clock, async () => {
    clock.advance(60_000)
    await settled()
    expect(memory.saves).toEqual([])
    jar.store(['id=1'], URL_A)
    jar.store(['id=2'], URL_A)
    clock.advance(5_000)
    await settled()
    clock.advance(60_000)
    await settled()
    expect(memory.saves).toEqual([['id=2']])
  })
  expect(memory.saves).toEqual([['id=2']])
})

it('saves on request, once for concurrent requests', async () => {
  await keepCookies(jar, memory, clock, async (save) => {
    jar.store(['id=1'], URL_A)
    await Promise.all([save(), save(), save()])
    expect(memory.saves).toEqual([['id=1']])
  })
})

it('misses no change that comes while it saves', async () => {
  await keepCookies(jar, memory, clock, async (save) => {
    jar.store(['id=1'], URL_A)
    const first = save()
    await Promise.resolve()
    jar.store(['id=2'], URL_A)
    await Promise.all([first, save()])
    expect(memory.saves.at(-1)).toEqual(['id=2'])
  })
})

it('saves at the end of work that failed', async () => {
  const work = keepCookies(jar, memory, clock, async () => {
    jar.store(['id=1'], URL_A)
    throw new Error('the crawl failed')
  })
  await expect(work).rejects.toThrow('the crawl failed')
  expect(memory.saves).toEqual([['id=1']])
})

it('retries a save that failed, and reports the failure to the caller', async () => {
  await keepCookies(jar, memory, clock, async (save) => {
    memory.failing = true
    jar.store(['id=1'], URL_A)
    clock.advance(5_000)
    await expect(save()).rejects.toThrow('disk full')
    memory.failing = false
  })
  expect(memory.saves).toEqual([['id=1']])
})

it('leaves no timer behind', async () => {
  await keepCookies(jar, memory, clock, async () => {})
  jar.store(['id=1'], URL_A)
  clock.advance(60_000)
  await settled()
  expect(memory.saves).toEqual([])
})
