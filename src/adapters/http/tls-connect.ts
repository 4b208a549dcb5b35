import { isIP, type Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import { LruMap } from '../../base/lru-map.ts'
import { tlsFailure } from './failure.ts'
import { socketEvent } from './socket-event.ts'

export interface TlsOptions {
  /** Hosts whose certificates are not checked. */
  readonly insecureHosts: ReadonlySet<string>
  /** Certificates (PEM) trusted in addition to those that browsers trust. */
  readonly extraCertificates: readonly string[]
}

/** Tickets kept to shorten a second handshake; about 2 KB each. */
const MAX_SESSIONS = 2_000

/** Puts TLS on connected sockets: always verified, but for the hosts that the operator named. */
export class TlsConnector {
  readonly #insecureHosts: ReadonlySet<string>
  readonly #extraCertificates: readonly string[]
  #context: SecureContext | undefined
  readonly #sessions = new LruMap<string, Buffer>(MAX_SESSIONS)

  constructor({ insecureHosts, extraCertificates }: TlsOptions) {
    this.#insecureHosts = insecureHosts
    this.#extraCertificates = extraCertificates
    // An invalid certificate is an error at start.
    if (extraCertificates.length > 0) this.#secureContext()
  }

  /**
   * @param host A name or an address literal, without brackets. What the certificate must be for.
   * @param http2 Whether HTTP/2 is offered.
   */
  async connect(socket: Socket, host: string, http2: boolean, signal: AbortSignal): Promise<TLSSocket> {
    const secured = tls().connect({
      socket,
      host,
      // An address has no place in SNI.
      servername: isIP(host) === 0 ? host : '',
      secureContext: this.#secureContext(),
      ALPNProtocols: http2 ? ['h2', 'http/1.1'] : ['http/1.1'],
      // Explicit, because an environment variable can turn off the default for the whole process.
      rejectUnauthorized: !this.#insecureHosts.has(host),
      session: this.#sessions.get(host),
    })
    secured.on('session', (session: Buffer) => this.#sessions.set(host, session))
    try {
      await socketEvent(secured, 'secureConnect', signal)
    } catch (error) {
      secured.destroy()
      throw signal.aborted ? signal.reason : tlsFailure(error)
    }
    return secured
  }
  /** One for all: making a context means reading every root certificate. */
  #secureContext(): SecureContext {
    const extra = this.#extraCertificates
    this.#context ??= tls().createSecureContext(
      extra.length === 0 ? {} : { ca: [...tls().rootCertificates, ...extra] },
    )
    return this.#context
  }
}

/** Loaded with the first `https:` URL: it takes 20 ms. */
const tls = () => process.getBuiltinModule('node:tls')
