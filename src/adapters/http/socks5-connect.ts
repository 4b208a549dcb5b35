import { isIPv4, isIPv6, type Socket } from 'node:net'
import type { NetworkFailureCause } from '../../domain/fetch/fetch-outcome.ts'
import { networkFailure } from './failure.ts'
import type { WebProxy } from './proxy.ts'

const VERSION = 5
const NO_AUTHENTICATION = 0
const USER_AND_PASSWORD = 2

/** The reply codes that concern the requested host; all others concern the proxy. */
const HOST_REPLIES: ReadonlyMap<number, readonly [cause: NetworkFailureCause, detail: string]> = new Map([
  [1, ['connect-failed', 'the proxy says: general failure']],
  [2, ['connect-refused', 'the proxy says: not allowed by its rules']],
  [3, ['connect-failed', 'the proxy says: network unreachable']],
  [4, ['connect-failed', 'the proxy says: host unreachable']],
  [5, ['connect-refused', 'the proxy says: connection refused']],
  [6, ['connect-timeout', 'the proxy says: expired on the way']],
  [8, ['connect-failed', 'the proxy says: address type not supported']],
])

/** Has the SOCKS5 proxy (RFC 1928, 1929) at the other end of `socket` connect it to `host`, a name or an address literal. */
export async function socks5Connect(
  socket: Socket,
  user: WebProxy['user'],
  host: string,
  port: number,
): Promise<void> {
  await socks5Greet(socket, user)
  socket.write(
    Buffer.concat([Buffer.from([VERSION, 1, 0]), addressOf(host), Buffer.from([port >> 8, port & 0xff])]),
  )
  const [, reply = 1, , kind] = await read(socket, 4)
  if (reply !== 0)
    throw networkFailure(...(HOST_REPLIES.get(reply) ?? (['proxy', `SOCKS5 reply ${reply}`] as const)))
  // The address that the proxy bound is not used, but it comes before the first byte of the host.
  const length = kind === 1 ? 4 : kind === 4 ? 16 : ((await read(socket, 1))[0] ?? 0)
  await read(socket, length + 2)
}

/** The first part of the handshake: agrees on the authentication, and logs in. */
export async function socks5Greet(socket: Socket, user: WebProxy['user']): Promise<void> {
  socket.write(Buffer.from([VERSION, 1, user === undefined ? NO_AUTHENTICATION : USER_AND_PASSWORD]))
  const [version, method] = await read(socket, 2)
  if (version !== VERSION) throw networkFailure('proxy', 'the proxy does not speak SOCKS5')
  if (method === USER_AND_PASSWORD && user !== undefined) await authenticate(socket, user)
  else if (method !== NO_AUTHENTICATION)
    throw networkFailure('proxy', 'the proxy wants another way to log in')
}

async function authenticate(
  socket: Socket,
  { name, password }: NonNullable<WebProxy['user']>,
): Promise<void> {
  const [user, secret] = [Buffer.from(name).subarray(0, 255), Buffer.from(password).subarray(0, 255)]
  socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([secret.length]), secret]))
  const [, status] = await read(socket, 2)
  if (status !== 0) throw networkFailure('proxy', 'the proxy refused the user name or password')
}

function addressOf(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from([1, ...host.split('.').map(Number)])
  if (isIPv6(host)) return Buffer.concat([Buffer.from([4]), ipv6Bytes(host)])
  const name = Buffer.from(host)
  if (name.length > 255) throw networkFailure('proxy', 'a name longer than SOCKS5 can say')
  return Buffer.concat([Buffer.from([3, name.length]), name])
}

function ipv6Bytes(address: string): Buffer {
  // The URL parser writes IPv6 without embedded IPv4; what may be left out is one run of zeros.
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

/** Exactly `length` bytes. Fails when the proxy hangs up first. */
async function read(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read(length) as Buffer | null
    if (bytes !== null && bytes.length === length) return bytes
    if (bytes !== null || socket.readableEnded || socket.destroyed)
      throw networkFailure('proxy', 'the proxy hung up')
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        socket.off('readable', wake).off('end', wake).off('close', wake)
        resolve()
      }
      socket.on('readable', wake).on('end', wake).on('close', wake)
    })
  }
}
