import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { drop } from './hooks.ts'
import { processItem } from './process-item.ts'
import type { Pipeline } from './spider-definition.ts'
import type { StandardSchema } from './standard-schema.ts'

const SOURCE = { url: 'http://a.test/', depth: 1 }
const schema = z.object({ n: z.coerce.number().min(1), at: z.date().optional() })

async function process(
  item: unknown,
  pipelines: readonly Pipeline<unknown>[] = [],
  using?: StandardSchema<unknown, unknown>,
) {
  return processItem(item, SOURCE, using, pipelines)
}

describe('processItem', () => {
  it('keeps what the schema makes of an item', async () => {
    expect(await process({ n: '3', more: 1 }, [], schema)).toEqual({ kind: 'kept', item: { n: 3 } })
  })

  it('rejects what the schema refuses, as it was given, with the reason', async () => {
    const processed = await process({ n: 0, big: 12n }, [], schema)
    expect(processed).toMatchObject({ kind: 'rejected', item: { n: 0, big: '12' } })
    expect(processed).toHaveProperty('reason', expect.stringMatching(/^n: /))
  })

  it('waits for a schema that takes its time', async () => {
    const slow = z.object({ n: z.number().refine(async (n) => n > 1, 'too small') })
    expect(await process({ n: 2 }, [], slow)).toMatchObject({ kind: 'kept' })
    expect(await process({ n: 1 }, [], slow)).toMatchObject({ kind: 'rejected', reason: 'n: too small' })
  })

  it('leads an item through the pipelines in their order, the page with it', async () => {
    const seen: unknown[] = []
    const pipelines: Pipeline<unknown>[] = [
      {
        process(item, page) {
          seen.push(page)
          return { ...(item as object), a: 1 }
        },
      },
      { process: async (item) => ({ ...(item as object), b: Object.keys(item as object).length }) },
    ]
    expect(await process({ n: 1 }, pipelines, schema)).toEqual({ kind: 'kept', item: { n: 1, a: 1, b: 2 } })
    expect(seen).toEqual([SOURCE])
  })

  it('stops at the pipeline that drops it', async () => {
    const never: Pipeline<unknown> = {
      process() {
        throw new Error('called')
      },
    }
    expect(await process({}, [{ process: async () => drop('sold out') }, never])).toEqual({
      kind: 'dropped',
      reason: 'sold out',
    })
  })

  it('lets through what a pipeline throws', async () => {
    const broken: Pipeline<unknown> = {
      process() {
        throw new RangeError('no')
      },
    }
    await expect(process({}, [broken])).rejects.toThrow(RangeError)
    await expect(process({}, [{ process: () => Promise.reject(new Error('later')) }])).rejects.toThrow(
      'later',
    )
  })

  it.each([[3], ['text'], [null], [[1]], [undefined]])('rejects %o, which is no object', async (item) => {
    expect(await process(item)).toMatchObject({ kind: 'rejected', reason: 'an item must be an object' })
  })

  it('keeps an item as JSON has it', async () => {
    const item = { at: new Date(0), big: 1n, not: undefined, call: () => {}, nan: Number.NaN }
    expect(await process(item)).toEqual({
      kind: 'kept',
      item: { at: '1970-01-01T00:00:00.000Z', big: '1', nan: null },
    })
  })
})
