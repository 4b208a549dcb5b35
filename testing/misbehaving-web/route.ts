import type { Reply, Response } from './exchange.ts'

/** One way to misbehave. */
export interface Route {
  /** Entries of the list of hostile inputs that it stands for; test/hostile/README.md has the list. */
  readonly entries: readonly number[]
  /** What the server does, in a few words. */
  readonly about: string
  readonly response: Response
}

/** Routes by path, or sites by host. */
export type Routes = Readonly<Record<string, Route>>

export function route(entries: readonly number[], about: string, response: Response): Route {
  return { entries, about, response }
}

/** A well-formed response. */
export function reply(response: Reply): Response {
  return (exchange) => exchange.reply(response)
}

/** A well-formed HTML page. */
export function page(html: string, headers: Reply['headers'] = {}): Response {
  return reply({ headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, body: html })
}

/** These bytes to the letter, then the end of the connection. A function makes them at the first request. */
export function raw(data: string | Uint8Array | (() => string | Uint8Array)): Response {
  let made: string | Uint8Array | undefined
  return (exchange) => {
    made ??= typeof data === 'function' ? data() : data
    exchange.hangUp(made)
  }
}

/** These bytes to the letter, on a connection that stays open as if nothing had happened. */
export function rawAndStay(data: string | Uint8Array): Response {
  return (exchange) => exchange.finish(data)
}

/**
 * `head`, then `chunk` over and over until the client hangs up. It stops at 256 MB all the same: a client without a limit should
 * fail its test, not stop it.
 */
export function endless(head: string, chunk: string | Uint8Array, pauseMs = 0): Response {
  return async (exchange) => {
    let sentBytes = 0
    let open = await exchange.send(head)
    while (open && sentBytes < 256 * 1024 * 1024) {
      open = await exchange.send(chunk)
      sentBytes += chunk.length
      if (pauseMs > 0) open &&= await exchange.pause(pauseMs)
    }
    exchange.hangUp()
  }
}

/** The head of a 200 with the given header lines and the blank line that ends it. */
export function ok(...headerLines: readonly string[]): string {
  return ['HTTP/1.1 200 OK', 'Content-Type: text/html', ...headerLines, '', ''].join('\r\n')
}
