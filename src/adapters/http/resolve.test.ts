import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type Resolve, resolveByDns, resolveBySystem } from './resolve.ts'

const cleanUp: Array<() => void> = []

afterEach(() => {
  for (const close of cleanUp.splice(0)) close()
})

const A = 1
const AAAA = 28
const NO_ERROR = 0
const SERVER_FAILURE = 2
const NO_SUCH_NAME = 3

/** A name server that gives each type of question one response: a response code, and addresses with a time to live. */
async function nameServer(
  responses: Record<number, { code: number; addresses?: number[][]; ttl?: number }>,
): Promise<Resolve> {
  const socket = createSocket('udp4')
  socket.on('message', (query, peer) => {
    // Header (12 bytes), the name as labels up to a zero byte, type and class.
    const nameEnd = query.indexOf(0, 12) + 1
    const type = query.readUInt16BE(nameEnd)
    const { code = NO_SUCH_NAME, addresses = [], ttl = 300 } = responses[type] ?? {}
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(0x8180 | code, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(addresses.length, 6)
    const records = addresses.map((address) => {
      const record = Buffer.alloc(12)
      record.writeUInt16BE(0xc00c, 0)
      record.writeUInt16BE(type, 2)
      record.writeUInt16BE(1, 4)
      record.writeUInt32BE(ttl, 6)
      record.writeUInt16BE(address.length, 10)
      return Buffer.concat([record, Buffer.from(address)])
    })
    socket.send(Buffer.concat([header, query.subarray(12, nameEnd + 4), ...records]), peer.port, peer.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  cleanUp.push(() => socket.close())
  return resolveByDns([`127.0.0.1:${(socket.address() as AddressInfo).port}`])
}

const V6 = [0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]

describe('resolveByDns', () => {
  it('finds the addresses of both families, good for as long as the shorter-lived', async () => {
    const resolve = await nameServer({
      [A]: { code: NO_ERROR, addresses: [[192, 0, 2, 1]], ttl: 300 },
      [AAAA]: { code: NO_ERROR, addresses: [V6], ttl: 60 },
    })
    expect(await resolve('a.test')).toEqual({
      ok: true,
      addresses: [
        { address: '192.0.2.1', family: 4 },
        { address: '2606:4700::1', family: 6 },
      ],
      ttlMs: 60_000,
    })
  })

  it('is content with one family when the other fails', async () => {
    const resolve = await nameServer({
      [A]: { code: NO_ERROR, addresses: [[192, 0, 2, 1]] },
      [AAAA]: { code: SERVER_FAILURE },
    })
    expect(await resolve('a.test')).toMatchObject({ ok: true, addresses: [{ address: '192.0.2.1' }] })
  })

  it('tells a name that does not exist', async () => {
    const resolve = await nameServer({ [A]: { code: NO_SUCH_NAME }, [AAAA]: { code: NO_SUCH_NAME } })
    expect(await resolve('a.test')).toEqual({ ok: false, reason: 'not-found', detail: 'ENOTFOUND' })
  })

  it('tells a name that has no address', async () => {
    const resolve = await nameServer({ [A]: { code: NO_ERROR }, [AAAA]: { code: NO_ERROR } })
    expect(await resolve('a.test')).toMatchObject({ ok: false, reason: 'not-found' })
  })

  it('tells a server that fails, also when only one question failed', async () => {
    const resolve = await nameServer({ [A]: { code: SERVER_FAILURE }, [AAAA]: { code: NO_SUCH_NAME } })
    expect(await resolve('a.test')).toEqual({ ok: false, reason: 'failed', detail: 'ESERVFAIL' })
  })
})

describe('resolveBySystem', () => {
  it('finds the loopback host as the operating system does', async () => {
    const resolution = await resolveBySystem('localhost')
    expect(resolution.ok && resolution.addresses.map(({ address }) => address)).toContain('127.0.0.1')
  })
})
