import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { processTerminal } from './terminal.ts'

describe('the first Ctrl-C or SIGTERM', () => {
  const end = vi.fn()
  const listeners = { SIGINT: process.listeners('SIGINT'), SIGTERM: process.listeners('SIGTERM') }

  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    end.mockClear()
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      for (const listener of process.listeners(signal))
        if (!listeners[signal].includes(listener)) process.off(signal, listener)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('%s ends a command that does not stop itself', (signal) => {
    processTerminal(end)
    process.emit(signal)
    vi.runAllTimers()
    expect(end).toHaveBeenCalledOnce()
  })

  it('lets a command stop itself, also one that is opening its crawl', () => {
    const terminal = processTerminal(end)
    process.emit('SIGINT')
    expect(terminal.interrupted.aborted).toBe(true)
    vi.runAllTimers()
    expect(end).not.toHaveBeenCalled()
  })
})
