import type { Socket } from 'node:net'
import { createSecureContext, createServer, type SecureContext, type Server, type TLSSocket } from 'node:tls'
import { makeCertificates } from '../certificates.ts'
import { http2Faults } from './http2-faults.ts'

/** Hosts that show a bad certificate, or a good one behind too much chain. Every other name gets a good one of its own. */
const CERTIFICATE_OF = {
  'expired.test': 'expired',
  'not-yet-valid.test': 'notYetValid',
  'self-signed.test': 'selfSigned',
  'wrong-host.test': 'wrongHost',
  'unknown-ca.test': 'unknownCa',
  'sha1.test': 'sha1',
  'huge-chain.test': 'hugeChain',
} as const

export interface SecureWeb {
  readonly server: Server
  /** The authority to trust (PEM). */
  readonly ca: string
}

/**
 * The TLS side of the web. The name in the handshake (SNI) chooses the certificate, and for the hosts of `http2Faults` a broken
 * HTTP/2; everything else is handed to `accept` as if it were a plain connection.
 */
export function createSecureWeb(accept: (socket: Socket) => void): SecureWeb {
  const bad = Object.entries(CERTIFICATE_OF)
  const certificates = makeCertificates(['127.0.0.1', ...bad.map(([host]) => host)])
  const contexts = new Map(bad.map(([host, kind]) => [host, createSecureContext(certificates[kind])]))
  const contextOf = (host: string): SecureContext => {
    const context = contexts.get(host) ?? createSecureContext(certificates.goodFor(host))
    contexts.set(host, context)
    return context
  }
  const server = createServer({
    ...certificates.good,
    SNICallback: (host, done) => done(null, contextOf(host)),
    ALPNCallback: ({ servername, protocols }) => {
      const offered = servername in http2Faults ? ['h2', 'http/1.1'] : ['http/1.1']
      return offered.find((protocol) => protocols.includes(protocol))
    },
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    const fault = socket.alpnProtocol === 'h2' ? http2Faults[String(socket.servername)] : undefined
    if (fault === undefined) accept(socket)
    else fault.accept(socket)
  })
  // A client that refuses a certificate is what these tests are about.
  server.on('tlsClientError', () => {})
  return { server, ca: certificates.ca }
}
