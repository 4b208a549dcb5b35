import { z } from 'zod'
import {
  booleanValue,
  choiceValue,
  docs,
  hostName,
  integerValue,
  listValue,
  numberValue,
  stringValue,
} from './config-values.ts'

/** The keys of `http`. */
export function httpSection() {
  return {
    timeoutSeconds: seconds(60, 'Maximum time for one request, from its start to the last byte, in seconds.'),
    connectTimeoutSeconds: seconds(10, 'Maximum time to connect, TLS handshake included, in seconds.'),
    headersTimeoutSeconds: seconds(
      20,
      'Maximum time from the sent request to the response headers, in seconds.',
    ),
    bodyTimeoutSeconds: seconds(15, 'Maximum time between two parts of a body, in seconds.'),
    minBytesPerSecond: numberValue(0).default(1024).register(docs, {
      description: 'Minimum transfer rate of a body, in bytes per second; slower transfers are aborted.',
    }),
    maxBodyBytes: integerValue(1, undefined, 'bytes')
      .default(10 * 1024 * 1024)
      .register(docs, { description: 'Maximum decoded body size, in bytes; longer bodies are truncated.' }),
    maxDeclaredBytes: integerValue(1, undefined, 'bytes')
      .default(100 * 1024 * 1024)
      .register(docs, {
        description:
          'Maximum Content-Length, in bytes; a response that declares more is rejected without reading its body. Never less than `maxBodyBytes`.',
      }),
    headers: z
      .record(headerName(), stringValue(/^[\t\x20-\x7e]*$/, 'a header value in ASCII'), {
        error: 'expected header names with their values',
      })
      .readonly()
      .default({})
      .register(docs, {
        description:
          "Headers sent with every request. They replace the crawler's own headers of the same name.",
      }),
    credentials: z
      .record(stringValue(/^[^\s/@?#*]+$/, 'a host name, or host:port'), hostCredentials(), {
        error: 'expected host names with their credentials',
      })
      .readonly()
      .default({})
      .register(docs, {
        description:
          'Credentials sent to single hosts and to no other: `{ "intranet.example": { basic: { user: "bot", password: { env: "INTRANET_PASSWORD" } } } }`. Also `bearer` (a token) and `headers`. A host name stands for its default ports; otherwise write `host:port`. A secret is a text, or `{ env }`, the name of an environment variable.',
        displayType: '`{ basic?, bearer?, headers? }` by host',
      }),
    proxy: z
      .union(
        [
          proxyUrl().transform((url) => ({ url })),
          proxyOptions(),
          z
            .array(z.union([proxyUrl().transform((url) => ({ url })), proxyOptions()], { error: PROXY }))
            .min(1),
        ],
        { error: `${PROXY}, or a list of them` },
      )
      .exactOptional()
      .register(docs, {
        description:
          'HTTP, HTTPS or SOCKS5 proxy, or a list to choose from: [sessions and proxies](sessions-and-proxies.md). `noProxy`: hosts to connect to directly. `resolve`: whether names are resolved by the crawler (`local`, default), by `both`, or by the `proxy` alone. `weight`: share of the hosts (default 1). `tier`: proxies of a higher tier are for hosts that block the lower ones (default 0).',
        displayType: 'URL, `{ url, noProxy?, resolve?, weight?, tier? }`, or a list',
      }),
    proxyProbeSeconds: numberValue(0).default(0).register(docs, {
      description:
        'How often each proxy is connected to, to find out whether it works, in seconds; 0: only requests show it.',
    }),
    cookies: booleanValue()
      .default(false)
      .register(docs, { description: 'Store cookies and send them back.' }),
    http2: booleanValue().default(true).register(docs, { description: 'Offer HTTP/2 in the TLS handshake.' }),
    insecureHosts: listValue(hostName(), 'hosts')
      .default([])
      .register(docs, { description: 'Hosts whose TLS certificates are not verified.' }),
    allowPrivateSeeds: booleanValue().default(true).register(docs, {
      description:
        'Whether seeds and start URLs may have private addresses without being in `allowPrivateHosts`. Use `false` if other people name the seeds.',
    }),
    allowPrivateHosts: listValue(hostName(), 'hosts').default([]).register(docs, {
      description:
        'Hosts that may have any address, private ones included. Not needed for seeds and start URLs that are IP addresses, localhost, or names that had a private address when they were injected.',
    }),
  }
}

function seconds(standard: number, description: string) {
  return numberValue(0.001, undefined, 'seconds').default(standard).register(docs, { description })
}

function headerName() {
  return stringValue(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'header names without spaces')
}

function hostCredentials() {
  const basic = z.strictObject({
    user: stringValue(/^[^:]+$/, 'a user name').register(docs, { description: 'User name.' }),
    password: secret('Password.'),
  })
  return z
    .strictObject({
      basic: basic
        .exactOptional()
        .register(docs, { description: 'User and password of HTTP Basic authentication.' }),
      bearer: secret('Token that is sent as `Authorization: Bearer …`.').exactOptional(),
      headers: z
        .record(headerName().toLowerCase(), secret('Value of the header.'))
        .exactOptional()
        .register(docs, { description: 'Further headers, such as an API key.' }),
    })
    .readonly()
}

/** A text, or the name of the environment variable that has it. */
function secret(description: string) {
  const variable = stringValue(/^\w+$/, 'the name of a variable').register(docs, {
    description: 'Name of the environment variable that has the secret.',
  })
  return z
    .union([stringValue(/./, 'a text'), z.strictObject({ env: variable })], {
      error: 'expected a text, or { env: "NAME" }',
    })
    .register(docs, { description, displayType: 'text, or `{ env }`' })
}

const PROXY = 'expected an http://, https:// or socks5:// URL, or { url, noProxy, resolve, weight, tier }'

function proxyUrl() {
  return stringValue(/^(?:https?|socks5h?):\/\/\S+$/, 'an http://, https:// or socks5:// URL')
}

function proxyOptions() {
  return z
    .strictObject({
      url: proxyUrl(),
      noProxy: listValue(stringValue(/./, 'a host name, or *'), 'hosts').default([]),
      resolve: choiceValue(['local', 'both', 'proxy']).exactOptional(),
      weight: numberValue(0.001).default(1),
      tier: integerValue(0).default(0),
    })
    .readonly()
}
