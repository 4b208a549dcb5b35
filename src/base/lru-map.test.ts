import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LruMap } from './lru-map.ts'

it('forgets the entry not touched for longest', () => {
  const map = new LruMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.get('a')
  map.set('c', 3)
  expect(map.size).toBe(2)
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3])
})

it('counts a second set of the same key as a touch', () => {
  const map = new LruMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.set('a', 3)
  map.set('c', 4)
  expect([map.get('a'), map.get('b')]).toEqual([3, undefined])
})

it('makes room by weight, and weighs a replaced value once', () => {
  const map = new LruMap<string, number>(10)
  map.set('a', 1, 4)
  for (let i = 0; i < 10; i++) map.set('b', i, 6)
  expect([map.get('a'), map.get('b')]).toEqual([1, 9])
  map.set('c', 3, 9)
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([undefined, undefined, 3])
})

it('keeps the newest whatever it weighs', () => {
  const map = new LruMap<string, number>(10)
  map.set('a', 1, 99)
  expect(map.get('a')).toBe(1)
  map.set('b', 2, 1)
  expect([map.get('a'), map.get('b')]).toEqual([undefined, 2])
})

it('does what a list kept in order of use does', () => {
  const key = fc.integer({ min: 0, max: 9 })
  const step = fc.oneof(
    fc.record({ kind: fc.constant('get' as const), key }),
    fc.record({ kind: fc.constant('set' as const), key, weight: fc.integer({ min: 0, max: 4 }) }),
    fc.record({ kind: fc.constant('delete' as const), key }),
    fc.record({ kind: fc.constant('clear' as const), key }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const map = new LruMap<number, number>(8)
      /** The longest unused first. */
      let model: Array<{ key: number; value: number; weight: number }> = []
      for (const [value, step] of steps.entries()) {
        const known = model.find(({ key }) => key === step.key)
        if (step.kind === 'clear') {
          map.clear()
          model = []
          continue
        }
        if (step.kind === 'get') expect(map.get(step.key)).toBe(known?.value)
        if (step.kind === 'delete') expect(map.delete(step.key)).toBe(known !== undefined)
        model = model.filter((entry) => entry !== known)
        if (step.kind === 'get' && known !== undefined) model.push(known)
        if (step.kind === 'set') {
          const { key, weight } = step
          map.set(key, value, weight)
          while (model.reduce((sum, entry) => sum + entry.weight, weight) > 8 && model.length > 0)
            model.shift()
          model.push({ key, value, weight })
        }
        expect(map.size).toBe(model.length)
      }
      for (const { key, value } of model) expect(map.get(key)).toBe(value)
    }),
  )
})
