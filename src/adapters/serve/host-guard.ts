import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { MiddlewareHandler } from 'hono'
import { refuse } from './refuse.ts'

/**
 * Answers only those who ask for us by a name that we know. A page on the web can have its own name point to this machine (DNS rebinding) and
 * so read our answers as its own; the `Host` header then has its name.
 * @param host what the server listens on
 */
export function hostGuard(host: string): MiddlewareHandler {
  return async (context, next) => {
    const header = context.req.header('host') ?? ''
    if (isOurs(nameIn(header), host)) return next()
    return refuse(
      context,
      'forbidden-host',
      `This server does not answer to the name "${header.slice(0, 200)}". Open it by the address it printed when it started.`,
    )
  }
}

/** `[::1]:8090` is `::1`. */
function nameIn(header: string): string {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([^:[\]]*))(?::\d+)?$/i.exec(header) ?? []
  return (bracketed ?? plain ?? '').toLowerCase()
}

function isOurs(name: string, host: string): boolean {
  if (isLoopback(name) || name === host.toLowerCase()) return name !== ''
  // Whoever listens beyond this machine is asked by its addresses too, and an address cannot be rebound.
  return !isLoopback(host) && (isIP(name) !== 0 || name === hostname().toLowerCase())
}

/** @param name without brackets */
function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}
