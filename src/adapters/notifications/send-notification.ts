import { spawn } from 'node:child_process'
import { type Clock, wait } from '../../base/clock.ts'
import type { JsonObject } from '../../base/json.ts'

/** A notification: JSON for programs, and variables for shell commands. */
export interface Notification {
  readonly document: JsonObject
  /** Added to the environment of a command. */
  readonly variables: Readonly<Record<string, string>>
}

export interface NotificationOptions {
  readonly clock: Clock
  /** Maximum time for one request. @default 10000 */
  readonly requestMs?: number
  /** Maximum time for a command; it is ended then. @default 60000 */
  readonly commandMs?: number
}

/**
 * Sends a notification. An http or https URL gets a POST request with the JSON document, at most three times. Anything else is a command
 * for the shell of the system, with the document on standard input; its output goes to standard error.
 * @throws Error with the reason, without the secrets of a URL
 */
export function sendNotification(
  target: string,
  notification: Notification,
  options: NotificationOptions,
): Promise<void> {
  return isWebhook(target) ? post(target, notification, options) : run(target, notification, options)
}

/** The name of a target for messages. The path and the query of a webhook are secrets. */
export function targetName(target: string): string {
  if (!isWebhook(target)) return target
  return URL.canParse(target) ? new URL(target).origin : 'the webhook'
}

function isWebhook(target: string): boolean {
  return /^https?:\/\//i.test(target)
}

async function post(url: string, { document }: Notification, options: NotificationOptions): Promise<void> {
  let reason = ''
  for (const waitMs of WAITS_MS) {
    if (waitMs > 0) await wait(options.clock, waitMs)
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(document),
        signal: AbortSignal.timeout(options.requestMs ?? 10_000),
      })
      await response.body?.cancel()
      if (response.ok) return
      reason = `it returned ${response.status}`
      // The same request would get the same response.
      if (response.status < 500 && response.status !== 408 && response.status !== 429) break
    } catch (error) {
      reason = causeOf(error)
    }
  }
  throw new Error(reason)
}

/** Before each try. */
const WAITS_MS = [0, 1_000, 4_000]

/** The messages of `fetch` say only that it failed. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || String(error.cause) : error.message
}

function run(
  command: string,
  { document, variables }: Notification,
  options: NotificationOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, {
      shell: true,
      stdio: ['pipe', process.stderr.fd ?? 'ignore', process.stderr.fd ?? 'ignore'],
      env: { ...process.env, ...variables },
      // With its children it is ended after the time limit.
      detached: process.platform !== 'win32',
    })
    const { commandMs = 60_000 } = options
    let isLate = false
    const cancel = options.clock.after(commandMs, () => {
      isLate = true
      end(child.pid)
    })
    child.on('error', (error) => {
      cancel()
      reject(error)
    })
    child.on('close', (code, signal) => {
      cancel()
      if (isLate) reject(new Error(`it was ended after ${commandMs / 1000} s`))
      else if (code === 0) resolve()
      else reject(new Error(code === null ? `it was ended by ${signal}` : `its exit code is ${code}`))
    })
    // A command need not read its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(`${JSON.stringify(document)}\n`)
  })
}

function end(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGTERM')
  } catch {
    // It has ended meanwhile.
  }
}
