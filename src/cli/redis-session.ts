import type { Command } from 'commander'
import { type RedisConnection, RedisUnreachable } from '../redis/connection.ts'
import { shareConnection } from '../redis/shared-connections.ts'
import { shown } from './shown.ts'
import type { Terminal } from './terminal.ts'

/** For commands that need one. */
export function addRedisOption(command: Command): Command {
  return command.requiredOption(
    '--redis <url>',
    'redis://user:password@host:6379/0; rediss: over TLS, redis+cluster:, redis+sentinel:',
  )
}

/**
 * Hands the connection to `work`, and closes it. While Redis is away the user is told, once, and may end it with Ctrl-C.
 * @throws RedisUnreachable with what to look at, ConfigurationError
 */
export async function withRedis<T>(
  address: string,
  terminal: Pick<Terminal, 'err' | 'interrupted'>,
  work: (connection: RedisConnection) => Promise<T>,
): Promise<T> {
  let isTold = false
  const onOutage = ({ message }: Error) => {
    if (!isTold) terminal.err(`Redis is away (${shown(message)}); waiting for it\n`)
    isTold = true
  }
  const connection = await shareConnection(address, { connectTimeoutMs: CONNECT_MS, onOutage }).catch(advise)
  const close = () => connection.close()
  terminal.interrupted.addEventListener('abort', close)
  try {
    return await work(connection)
  } finally {
    terminal.interrupted.removeEventListener('abort', close)
    close()
  }
}

const CONNECT_MS = 3_000

function advise(error: unknown): never {
  if (!(error instanceof RedisUnreachable)) throw error
  throw new RedisUnreachable(
    `${error.message}. Look whether it runs there (redis-cli ping), listens on that address (bind, protected-mode), and whether user, password and TLS in the URL are right`,
    { cause: error },
  )
}
