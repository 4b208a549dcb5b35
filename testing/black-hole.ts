import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'

/** A port of 127.0.0.1 that neither accepts nor rejects connections. */
export interface BlackHole {
  readonly port: number
  close(): Promise<void>
}

/** Listens with a minimal backlog and never accepts a connection. */
const LISTEN_AND_SLEEP = `
  const { createServer } = require('node:net')
  const { parentPort } = require('node:worker_threads')
  const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  })`

/**
 * A port that drops every SYN, as a firewall does. Its thread sleeps, so that the kernel's queue of connections not yet
 * accepted stays full once it is filled, and Linux drops what comes after.
 */
export async function startBlackHole(): Promise<BlackHole> {
  const worker = new Worker(LISTEN_AND_SLEEP, { eval: true })
  const [port] = (await once(worker, 'message')) as [number]
  const fillers: Socket[] = []
  for (let i = 0; i < 2; i++) {
    const filler = connect(port, '127.0.0.1').on('error', () => {})
    fillers.push(filler)
    await once(filler, 'connect')
  }
  return {
    port,
    async close() {
      for (const filler of fillers) filler.destroy()
      await worker.terminate()
    },
  }
}
