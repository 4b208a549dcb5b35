import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type TLSSocket } from 'node:tls'
import { expect, it } from 'vitest'
import { makeCertificates, type ServerIdentity } from './certificates.ts'

const certificates = makeCertificates(['a.test', '127.0.0.1'])

it.each([
  ['good', undefined],
  ['expired', 'CERT_HAS_EXPIRED'],
  ['notYetValid', 'CERT_NOT_YET_VALID'],
  ['selfSigned', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['wrongHost', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['unknownCa', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
] as const)('makes the %s certificate, to which a client says %s', async (kind, code) => {
  expect(await handshake(certificates[kind])).toBe(code)
})

it('makes a certificate signed with SHA-1, which a client does not accept', async () => {
  expect(await handshake(certificates.sha1)).toBeDefined()
})

it('makes a chain of more than 100 KB', () => {
  expect(certificates.hugeChain.cert.length).toBeGreaterThan(100_000)
})

/** The error code of a client that trusts `ca` and requests `a.test`; `undefined` if there is none. */
async function handshake(identity: ServerIdentity): Promise<string | undefined> {
  const server = createServer({ ...identity }, (socket) => socket.on('error', () => {}).end())
  server.on('tlsClientError', () => {})
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const client: TLSSocket = connect({ port, host: '127.0.0.1', servername: 'a.test', ca: certificates.ca })
  try {
    await once(client, 'secureConnect')
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  } finally {
    client.destroy()
    server.close()
  }
}
