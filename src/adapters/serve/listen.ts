import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import type { Hono } from 'hono'
import { ConfigurationError } from '../../base/crawl-error.ts'

export interface ListenOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** The options that set them, for error messages. @default --host and --port */
  readonly flags?: { readonly host: string; readonly port: string }
}

/** A running server. */
export interface Listening {
  /** Its address, with the port. */
  readonly url: string
  /** Closes open connections, too. */
  close(): Promise<void>
}

/** @throws ConfigurationError if the server cannot listen on the port */
export async function listen(app: Hono, options: ListenOptions): Promise<Listening> {
  const { host, port } = options
  const server = serve({ fetch: app.fetch, hostname: host, port })
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new ConfigurationError('ADDRESS_UNAVAILABLE', listenProblem(error, options), { cause: error })
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

function listenProblem(error: unknown, { host, port, flags = FLAGS }: ListenOptions): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `port ${port} of ${host} is in use: choose another with ${flags.port}, or ${flags.port} 0 for any free port`
  if (code === 'EACCES') return `no permission to use port ${port}: choose one above 1023 with ${flags.port}`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${host} is not an address of this machine: choose one with ${flags.host}`
  return `cannot listen on ${host}, port ${port}: ${message}`
}

const FLAGS = { host: '--host', port: '--port' }
