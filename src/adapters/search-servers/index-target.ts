import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'

/** Where documents go, as an operator wrote it. */
export type IndexTarget = ServerTarget | IndexFileTarget

export interface ServerTarget {
  readonly kind: 'solr' | 'elastic' | 'opensearch'
  /** For people: without user and password. */
  readonly name: string
  readonly origin: string
  /** Of the core, collection or index. */
  readonly path: string
  /** The value of the header. */
  readonly authorization?: string
  readonly options: ServerTargetOptions
}

/** Absent: the default of the writer. */
export interface ServerTargetOptions {
  readonly batchSize?: number
  readonly maxBytes?: number
  readonly timeoutMs?: number
  /** Certificates (PEM) to trust in addition to the system's. */
  readonly caFile?: string
  /** Solr only. */
  readonly commitWithinMs?: number
  /** Elasticsearch and OpenSearch only. */
  readonly createIndex?: boolean
}

export interface IndexFileTarget {
  readonly kind: 'jsonl' | 'csv'
  readonly file: string
}

export type Environment = Readonly<Record<string, string | undefined>>

const SERVER_FORMS: readonly string[] = [
  ...['solr:https://host:8983/solr/core', 'elastic:https://host:9200/index'],
  'opensearch:https://host:9200/index',
]
const FILE_FORMS: readonly string[] = ['jsonl:FILE', 'csv:FILE']

/**
 * Reads a target: `solr:https://user:password@host:8983/solr/core?batchSize=200`, `elastic:https://host:9200/index`,
 * `opensearch:https://host:9200/index`, `jsonl:FILE`, `csv:FILE`. User and password are percent-encoded, or come from the
 * environment: `ORBWEAVER_SOLR_USER`, `ORBWEAVER_SOLR_PASSWORD` and so on, `ORBWEAVER_ELASTIC_API_KEY`.
 * @throws ConfigurationError which never shows a password
 */
export function parseIndexTarget(text: string, environment: Environment): IndexTarget {
  const colon = text.indexOf(':')
  const kind = text.slice(0, Math.max(colon, 0))
  const location = text.slice(colon + 1)
  if (kind === 'jsonl' || kind === 'csv') {
    if (location === '') throw bad(text, `the name of a file must follow, as in ${kind}:pages.${kind}`)
    return { kind, file: location }
  }
  if (isServer(kind)) return serverTarget(kind, location, text, environment)
  throw bad(
    text,
    `it must be one of ${[...SERVER_FORMS, ...FILE_FORMS].join(', ')}, redis-stream:redis://host:6379/0?stream=NAME, or a name of index.targets in the configuration; the crawl's own is called sqlite`,
  )
}

/**
 * Reads a target that can be searched: a server.
 * @throws ConfigurationError which never shows a password
 */
export function parseSearchTarget(text: string, environment: Environment): ServerTarget {
  const colon = text.indexOf(':')
  const kind = text.slice(0, Math.max(colon, 0))
  if (isServer(kind)) return serverTarget(kind, text.slice(colon + 1), text, environment)
  throw bad(
    text,
    `it must be one of ${SERVER_FORMS.join(', ')}; to search the index in a crawl directory, name the directory without --target`,
  )
}

function isServer(kind: string): kind is ServerTarget['kind'] {
  return kind === 'solr' || kind === 'elastic' || kind === 'opensearch'
}

function serverTarget(
  kind: ServerTarget['kind'],
  address: string,
  text: string,
  environment: Environment,
): ServerTarget {
  const url = URL.parse(address)
  const form = SERVER_FORMS.find((known) => known.startsWith(kind))
  if (url === null || !/^https?:$/.test(url.protocol)) throw bad(text, `it must look like ${form}`)
  if (url.hash !== '') throw bad(text, `what follows # is for a browser; it must look like ${form}`)
  const path = url.pathname.replace(/\/+$/, '')
  if (path === '')
    throw bad(text, `the ${kind === 'solr' ? 'core or collection' : 'index'} is missing, as in ${form}`)
  // Else a part of the password would be taken for the host, and shown.
  if (path.includes('@')) throw bad(text, 'an @, / or : in its user or password must be percent-encoded')
  const authorization = authorizationOf(kind, url, text, environment)
  return {
    kind,
    name: `${kind}:${url.origin}${path}`,
    origin: url.origin,
    path,
    ...withoutUndefined({ authorization }),
    options: optionsOf(kind, url.searchParams, text),
  }
}

function authorizationOf(
  kind: ServerTarget['kind'],
  url: URL,
  text: string,
  environment: Environment,
): string | undefined {
  const variable = `ORBWEAVER_${kind.toUpperCase()}`
  const apiKey = kind === 'elastic' ? environment[`${variable}_API_KEY`] : undefined
  if (url.username === '' && apiKey) return `ApiKey ${apiKey}`
  const user = decoded(url.username, text) || environment[`${variable}_USER`] || ''
  const password = decoded(url.password, text) || environment[`${variable}_PASSWORD`] || ''
  if (user === '' && password === '') return undefined
  if (user === '') throw bad(text, `there is a password, but no user: set ${variable}_USER`)
  if (password === '') throw bad(text, `there is a user, but no password: set ${variable}_PASSWORD`)
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

function decoded(part: string, text: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw bad(text, 'a % in its user or password must be written %25')
  }
}

function optionsOf(
  kind: ServerTarget['kind'],
  parameters: URLSearchParams,
  text: string,
): ServerTargetOptions {
  const own = kind === 'solr' ? 'commitWithinSeconds' : 'createIndex'
  const known = ['batchSize', 'maxRequestMegabytes', 'timeoutSeconds', 'caFile', own]
  const options: { -readonly [Key in keyof ServerTargetOptions]: ServerTargetOptions[Key] } = {}
  for (const [name, value] of parameters) {
    if (!known.includes(name))
      throw bad(text, `it has no option ${JSON.stringify(name)}; there are ${known.join(', ')}`)
    if (name === 'caFile') options.caFile = value
    else if (name === 'createIndex') options.createIndex = yesOrNo(value, text)
    else {
      const count = positive(name, value, text)
      if (name === 'batchSize') options.batchSize = count
      if (name === 'maxRequestMegabytes') options.maxBytes = count * 1024 * 1024
      if (name === 'timeoutSeconds') options.timeoutMs = count * 1_000
      if (name === 'commitWithinSeconds') options.commitWithinMs = count * 1_000
    }
  }
  return options
}

function positive(name: string, value: string, text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(value)) throw bad(text, `${name} must be a whole number from 1 to 999999`)
  return Number(value)
}

function yesOrNo(value: string, text: string): boolean {
  if (value !== 'yes' && value !== 'no') throw bad(text, 'createIndex must be yes or no')
  return value === 'yes'
}

function bad(target: string, why: string): ConfigurationError {
  // Up to the last @: a password that was not encoded may hold others.
  const shown = target.replace(/\/\/.*@/s, '//…@')
  return new ConfigurationError(
    'INDEX_TARGET_INVALID',
    `${JSON.stringify(shown)} is not an index target: ${why}`,
  )
}
