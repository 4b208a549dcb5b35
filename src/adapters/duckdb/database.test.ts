import { tmpdir } from 'node:os'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { Database } from './database.ts'

it('ends rows that are interrupted with the reason, not as if they were all', async () => {
  const database = await Database.open(':memory:', {}, tmpdir())
  const stop = new AbortController()
  const reason = new Error('stop')
  const rows = database
    .interruptedBy(stop.signal)
    .stream((session) => session.streamNumbers('SELECT i::DOUBLE AS i FROM range(2000000) t(i)'))
  let count = 0
  const read = async () => {
    for await (const [numbers = []] of rows) {
      count += numbers.length
      stop.abort(reason)
    }
  }
  await expect(read()).rejects.toBe(reason)
  expect(count).toBeLessThan(2_000_000)
  await database.close()
})

describe('a change that is interrupted', () => {
  const nothing = { code: 'INTERRUPTED', message: expect.stringContaining('nothing was changed') }
  let database: Database
  beforeEach(async () => {
    database = await Database.open(':memory:', {}, tmpdir())
    await database.change((session) => session.run('CREATE TABLE numbers (n BIGINT)'))
  })
  afterEach(() => database.close())

  const count = () =>
    database.read((session) => session.one<{ n: number }>('SELECT count(*)::DOUBLE AS n FROM numbers'))

  it('ends the statement that runs, and rolls back', async () => {
    const stop = new AbortController()
    const change = database.change(async (session) => {
      await session.begin()
      await session.run('INSERT INTO numbers VALUES (1)')
      const endless = session.run('INSERT INTO numbers SELECT a.range FROM range(1000000000000) a')
      stop.abort()
      await endless
    }, stop.signal)
    await expect(change).rejects.toMatchObject(nothing)
    expect(await count()).toEqual({ n: 0 })
  })

  it('refuses later statements and the commit', async () => {
    const stop = new AbortController()
    let ran = false
    const between = database.change(async (session) => {
      await session.begin()
      await session.run('INSERT INTO numbers VALUES (1)')
      stop.abort()
      await session.run('INSERT INTO numbers VALUES (2)')
      ran = true
    }, stop.signal)
    await expect(between).rejects.toMatchObject(nothing)
    const late = new AbortController()
    const atEnd = database.change(async (session) => {
      await session.begin()
      await session.run('INSERT INTO numbers VALUES (1)')
      late.abort()
    }, late.signal)
    await expect(atEnd).rejects.toMatchObject(nothing)
    expect({ ran, ...(await count()) }).toEqual({ ran: false, n: 0 })
  })

  it('keeps an error that has a remedy', async () => {
    const stop = new AbortController()
    const failure = new ConfigurationError('OPTION_INVALID', 'wrong')
    const change = database.change(async () => {
      stop.abort()
      throw failure
    }, stop.signal)
    await expect(change).rejects.toBe(failure)
  })
})

it('keeps its memory limit when it returns freed memory', async () => {
  const database = await Database.open(':memory:', { memory_limit: '128MB' }, tmpdir())
  const limit = () =>
    database.read((session) =>
      session.one<{ limit: string }>("SELECT current_setting('memory_limit') AS limit"),
    )
  const before = await limit()
  await database.releaseFreedMemory()
  expect(await limit()).toEqual(before)
  await database.close()
})
