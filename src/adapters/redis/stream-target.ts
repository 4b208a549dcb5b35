import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { parseRedisAddress } from './redis-address.ts'

/** A stream of Redis that documents are published to. */
export interface StreamTarget {
  /** For people and for the ledger: without user and password. */
  readonly name: string
  /** Of the Redis, as `parseRedisAddress` reads it. */
  readonly address: string
  readonly stream: string
  /** Absent: the default of the writer. */
  readonly maxLength?: number
  readonly batchSize?: number
}

export const STREAM_TARGET_FORM = 'redis-stream:redis://host:6379/0?stream=NAME'

const PREFIX = 'redis-stream:'

/**
 * Reads `redis-stream:redis://host:6379/0?stream=NAME&maxLength=100000`; the addresses of clusters and sentinels are possible, too.
 * `undefined`: the text is not meant as a stream.
 * @throws ConfigurationError which never shows a password
 */
export function parseStreamTarget(text: string): StreamTarget | undefined {
  if (!text.startsWith(PREFIX)) return undefined
  const mark = text.indexOf('?')
  const end = mark === -1 ? text.length : mark
  const address = text.slice(PREFIX.length, end)
  const { shown } = parseRedisAddress(address)
  const parameters = new URLSearchParams(text.slice(end + 1))
  for (const option of parameters.keys())
    if (!OPTIONS.includes(option))
      throw bad(shown, `it has no option ${JSON.stringify(option)}; there are ${OPTIONS.join(', ')}`)
  const stream = parameters.get('stream') ?? ''
  if (stream === '' || /[\s{}\p{Cc}]/u.test(stream))
    throw bad(shown, `it needs the name of a stream, without spaces and braces, as in ${STREAM_TARGET_FORM}`)
  return {
    name: `${PREFIX}${shown}?stream=${stream}`,
    address,
    stream,
    ...withoutUndefined({
      maxLength: positive(parameters, 'maxLength', shown),
      batchSize: positive(parameters, 'batchSize', shown),
    }),
  }
}

const OPTIONS = ['stream', 'maxLength', 'batchSize']

function positive(parameters: URLSearchParams, name: string, shown: string): number | undefined {
  const value = parameters.get(name)
  if (value === null) return undefined
  if (!/^[1-9]\d{0,9}$/.test(value)) throw bad(shown, `${name} must be a whole number, at least 1`)
  return Number(value)
}

function bad(shown: string, why: string): ConfigurationError {
  return new ConfigurationError('INDEX_TARGET_INVALID', `${PREFIX}${shown} is not an index target: ${why}`)
}
