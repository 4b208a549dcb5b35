import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import {
  derBits,
  derBoolean,
  derInteger,
  derOctets,
  derOid,
  derSequence,
  derSet,
  derTagged,
  derTime,
  derUtf8,
} from './der.ts'

/** Key and certificates of a TLS server, in PEM. */
export interface ServerIdentity {
  readonly key: string
  /** The server's certificate and those between it and its authority. */
  readonly cert: string
}

/** All kinds of certificates that a crawler meets, created at run time for one test. */
export interface TestCertificates {
  /** The authority that a client under test should trust (PEM). */
  readonly ca: string
  /** Signed by `ca`, valid for `hosts`. */
  readonly good: ServerIdentity
  /** Another good one, for this host alone. */
  readonly goodFor: (host: string) => ServerIdentity
  readonly expired: ServerIdentity
  readonly notYetValid: ServerIdentity
  readonly selfSigned: ServerIdentity
  /** Signed by `ca`, but for another host. */
  readonly wrongHost: ServerIdentity
  /** Signed by an unknown authority. */
  readonly unknownCa: ServerIdentity
  /** Signed with SHA-1. */
  readonly sha1: ServerIdentity
  /** A valid certificate with a chain of more than 100 KB. */
  readonly hugeChain: ServerIdentity
}

/** Certificates for `hosts` (names or addresses). All are ECDSA P-256, so that this takes milliseconds. */
export function makeCertificates(hosts: readonly string[]): TestCertificates {
  const root = authority('Orbweaver test authority')
  const stranger = authority('Unknown test authority')
  return {
    ca: root.pem,
    good: leaf(root, { hosts }),
    goodFor: (host) => leaf(root, { hosts: [host] }),
    expired: leaf(root, { hosts, fromMs: Date.now() - 2 * DAY_MS, untilMs: Date.now() - DAY_MS }),
    notYetValid: leaf(root, { hosts, fromMs: Date.now() + DAY_MS, untilMs: Date.now() + 2 * DAY_MS }),
    selfSigned: leaf(undefined, { hosts }),
    wrongHost: leaf(root, { hosts: ['another.test'] }),
    unknownCa: leaf(stranger, { hosts }),
    sha1: leaf(root, { hosts, digest: 'sha1' }),
    hugeChain: hugeChain(root, hosts),
  }
}

const DAY_MS = 86_400_000

interface Authority {
  readonly name: Buffer
  readonly privateKey: KeyObject
  readonly pem: string
}

interface CertificateOptions {
  readonly subject: Buffer
  readonly publicKey: KeyObject
  readonly issuer: Buffer
  readonly issuerKey: KeyObject
  readonly extensions: readonly Buffer[]
  readonly fromMs?: number
  readonly untilMs?: number
  readonly digest?: 'sha1' | 'sha256'
}

const SIGNED_WITH = {
  sha1: derSequence(derOid('1.2.840.10045.4.1')),
  sha256: derSequence(derOid('1.2.840.10045.4.3.2')),
}

function certificate(options: CertificateOptions): string {
  const { fromMs = Date.now() - DAY_MS, untilMs = Date.now() + DAY_MS, digest = 'sha256' } = options
  const version3 = derTagged(0, derInteger(Buffer.of(2)))
  const serial = derInteger(Buffer.concat([Buffer.of(1), randomBytes(15)]))
  const body = derSequence(
    version3,
    serial,
    SIGNED_WITH[digest],
    options.issuer,
    derSequence(derTime(fromMs), derTime(untilMs)),
    options.subject,
    options.publicKey.export({ type: 'spki', format: 'der' }),
    derTagged(3, derSequence(...options.extensions)),
  )
  return pem(derSequence(body, SIGNED_WITH[digest], derBits(sign(digest, body, options.issuerKey))))
}

function authority(commonName: string, issuer?: Authority, padding: readonly Buffer[] = []): Authority {
  const { publicKey, privateKey } = keys()
  const subject = name(commonName)
  const pem = certificate({
    subject,
    publicKey,
    issuer: issuer?.name ?? subject,
    issuerKey: issuer?.privateKey ?? privateKey,
    extensions: [extension('2.5.29.19', derSequence(derBoolean(true)), { critical: true }), ...padding],
  })
  return { name: subject, privateKey, pem }
}

/** Without an `issuer` the certificate signs itself. */
function leaf(
  issuer: Authority | undefined,
  options: { hosts: readonly string[] } & Pick<CertificateOptions, 'fromMs' | 'untilMs' | 'digest'>,
): ServerIdentity {
  const { hosts, ...rest } = options
  const { publicKey, privateKey } = keys()
  const subject = name('Orbweaver test server')
  const cert = certificate({
    ...rest,
    subject,
    publicKey,
    issuer: issuer?.name ?? subject,
    issuerKey: issuer?.privateKey ?? privateKey,
    extensions: [extension('2.5.29.17', derSequence(...hosts.map(alternativeName)))],
  })
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert }
}

/** Four intermediates of 40 KB each: most of it is an unused extension. */
function hugeChain(root: Authority, hosts: readonly string[]): ServerIdentity {
  const padding = extension('1.3.6.1.4.1.99999.1', derOctets(Buffer.alloc(40_000)))
  const chain: string[] = []
  let issuer = root
  for (let i = 1; i <= 4; i++) {
    issuer = authority(`Orbweaver test intermediate ${i}`, issuer, [padding])
    chain.unshift(issuer.pem)
  }
  const { key, cert } = leaf(issuer, { hosts })
  return { key, cert: cert + chain.join('') }
}

function keys(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function name(commonName: string): Buffer {
  return derSequence(derSet(derSequence(derOid('2.5.4.3'), derUtf8(commonName))))
}

function extension(oid: string, value: Buffer, { critical = false } = {}): Buffer {
  return derSequence(derOid(oid), ...(critical ? [derBoolean(true)] : []), derOctets(value))
}

/** A SubjectAltName entry: 2 is a DNS name, 7 an address (only IPv4 is served here). */
function alternativeName(host: string): Buffer {
  if (isIP(host) === 4) return derTagged(7, Buffer.from(host.split('.').map(Number)), false)
  return derTagged(2, Buffer.from(host), false)
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
