import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openInstance } from './open-instance.ts'
import { Session } from './session.ts'

it('returns freed memory in the background', async () => {
  const instance = await openInstance(':memory:', { threads: '1' })
  const session = new Session(await instance.connect())
  const { value } = await session.one<{ value: boolean }>(
    "SELECT current_setting('allocator_background_threads') AS value",
  )
  session.close()
  instance.closeSync()
  expect(value).toBe(true)
})

it('opens all databases, because the one opened last decides for the whole process', () => {
  const sources = globSync('**/*.ts', { cwd: ADAPTERS, exclude: (file) => file.endsWith('.test.ts') })
  const opening = sources.filter((file) =>
    readFileSync(join(ADAPTERS, file), 'utf8').includes('DuckDBInstance.create('),
  )
  expect(opening).toEqual([join('duckdb', 'open-instance.ts')])
})

const ADAPTERS = join(import.meta.dirname, '..')
