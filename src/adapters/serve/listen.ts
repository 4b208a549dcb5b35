import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import type { Hono } from 'hono'
import { ConfigurationError } from '../../base/crawl-error.ts'

export interface ListenOptions {
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
}

/** A server that listens. */
export interface Listening {
  /** Where to open it. */
  readonly url: string
  /** Ends connections too. */
  close(): Promise<void>
}

/** @throws ConfigurationError when the port cannot be had */
export async function listen(app: Hono, { host, port }: ListenOptions): Promise<Listening> {
  const server = serve({ fetch: app.fetch, hostname: host, port })
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new ConfigurationError('ADDRESS_UNAVAILABLE', refusal(error, host, port), { cause: error })
  }
  const address = server.address() as AddressInfo
  const name = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${name}:${address.port}/`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed
    },
  }
}

function refusal(error: unknown, host: string, port: number): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `port ${port} of ${host} is taken: give another with --port, or --port 0 for any that is free`
  if (code === 'EACCES') return `port ${port} may not be used by you: give one above 1023 with --port`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is no address of this machine: give one with --host`
  return `cannot listen on ${host}, port ${port}: ${message}`
}
