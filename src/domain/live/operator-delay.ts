/** The message for a delay that an operator cannot set; `undefined`: it can be set. @param delayMs `null`: restore the configured delay */
export function operatorDelayProblem(host: string, delayMs: number | null): string | undefined {
  if (!HOST.test(host))
    return `${JSON.stringify(host.slice(0, 100))} is not a host; give a name or an address without scheme, port and path, such as www.example.org`
  if (delayMs !== null && !(delayMs >= 0 && delayMs <= MAX_DELAY_MS))
    return `the delay of ${host} must be between 0 and ${MAX_DELAY_MS / 1_000} seconds`
  return undefined
}

const MAX_DELAY_MS = 86_400_000

/** A name, an IPv4 address, or an IPv6 address with or without brackets, as host queues are named. */
const HOST = /^(?:[^\s\p{Cc}/?#@:[\]\\]{1,253}|\[?[\da-f]*:[\da-f]*:[\da-f:.]{0,45}\]?)$/u
