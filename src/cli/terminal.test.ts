import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { processTerminal } from './terminal.ts'

describe('the first Ctrl-C or SIGTERM', () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  const listeners = { SIGINT: process.listeners('SIGINT'), SIGTERM: process.listeners('SIGTERM') }

  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    kill.mockClear()
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      for (const listener of process.listeners(signal))
        if (!listeners[signal].includes(listener)) process.off(signal, listener)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('%s ends a command that does not stop itself', (signal) => {
    processTerminal()
    process.emit(signal, signal)
    vi.runAllTimers()
    expect(kill.mock.calls).toEqual([[process.pid, signal]])
  })

  it('lets a command stop itself, also one that is opening its crawl', () => {
    const terminal = processTerminal()
    process.emit('SIGINT', 'SIGINT')
    expect(terminal.interrupted.aborted).toBe(true)
    vi.runAllTimers()
    expect(kill).not.toHaveBeenCalled()
  })
})
