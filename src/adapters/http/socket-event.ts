import type { Socket } from 'node:net'
import { networkFailure } from './failure.ts'

/**
 * Waits for `event`. Rejects with the socket's error, with a reset when it closes first, or with the reason of `signal`.
 * From here on an error of the socket never ends the process, also without other listeners.
 */
export function socketEvent(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onEvent = (): void => {
      stop()
      resolve()
    }
    const onError = (error: Error): void => {
      stop()
      reject(error)
    }
    const onClose = (): void => onError(networkFailure('reset', 'the connection was closed'))
    const onAbort = (): void => onError(signal.reason)
    const stop = (): void => {
      socket.off(event, onEvent).off('error', onError).off('close', onClose)
      signal.removeEventListener('abort', onAbort)
    }
    socket.on('error', ignore)
    socket.on(event, onEvent).on('error', onError).on('close', onClose)
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
  })
}

/** Not a closure in the function above: for as long as the socket is open, it would keep the promise and the signal of the dialling. */
function ignore(): void {}
