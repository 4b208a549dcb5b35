import { expect, it, vi } from 'vitest'
import { HandlerErrors, type TooManyHandlerErrors } from './handler-errors.ts'

it('tells each error, and speaks up once when there are too many in a row', () => {
  const told: string[] = []
  const tooMany: TooManyHandlerErrors[] = []
  const errors = new HandlerErrors(
    3,
    (error) => tooMany.push(error),
    (where) => told.push(where),
  )
  for (let i = 1; i <= 5; i++) errors.failed(`parse, for ${i}`, new RangeError('no'))
  expect(told).toHaveLength(5)
  expect(tooMany).toHaveLength(1)
  expect(tooMany[0]).toMatchObject({ code: 'HANDLER_ERRORS', retryable: false })
  expect(tooMany[0]?.message).toContain('3 handlers in a row')
  expect(tooMany[0]?.message).toContain('parse, for 3: RangeError: no')
  expect(tooMany[0]?.message).toContain('orbweaver failed')
})

it('begins anew after a success', () => {
  const tooMany = vi.fn()
  const errors = new HandlerErrors(2, tooMany, () => {})
  for (let i = 0; i < 4; i++) {
    errors.failed('parse', 'text')
    errors.succeeded()
  }
  expect(tooMany).not.toHaveBeenCalled()
})

it('bears any number with 0', () => {
  const tooMany = vi.fn()
  const errors = new HandlerErrors(0, tooMany, () => {})
  for (let i = 0; i < 1_000; i++) errors.failed('parse', new Error('no'))
  expect(tooMany).not.toHaveBeenCalled()
})
