import { ConfigurationError } from '../../base/crawl-error.ts'

/** Who crawls, so that a site's owner can tell us apart, find out about us and write to us. */
export interface AgentIdentity {
  /** The product token, also the name robots.txt groups are matched with: letters, digits, `-` and `_`. */
  readonly name: string
  readonly version?: string
  /** A page that says what this crawler does and how to keep it out. */
  readonly contactUrl?: string
  readonly email?: string
}

const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
const PRODUCT = /^[A-Za-z_-][A-Za-z0-9_-]*$/

/** The User-Agent header: `Name/1.2 (+https://example.org/bot; bot@example.org)`, without what is not given. */
export function userAgent({ name, version, contactUrl, email }: AgentIdentity): string {
  if (!PRODUCT.test(name))
    throw new ConfigurationError(
      'AGENT_INVALID',
      `agent name ${JSON.stringify(name)}: use letters, digits, "-" and "_", and no digit first`,
    )
  if (version !== undefined && !TOKEN.test(version))
    throw new ConfigurationError(
      'AGENT_INVALID',
      `agent version ${JSON.stringify(version)}: use something like 1.2`,
    )
  if (contactUrl !== undefined && !isWebUrl(contactUrl))
    throw new ConfigurationError(
      'AGENT_INVALID',
      `agent contact URL ${JSON.stringify(contactUrl)}: give an http or https URL`,
    )
  if (email !== undefined && !/^[\x21-\x7e]+@[\x21-\x7e]+$/.test(email))
    throw new ConfigurationError(
      'AGENT_INVALID',
      `agent e-mail ${JSON.stringify(email)}: give an address like bot@example.org`,
    )
  const product = version === undefined ? name : `${name}/${version}`
  const contacts = [contactUrl === undefined ? undefined : `+${contactUrl}`, email].filter(
    (part) => part !== undefined,
  )
  return contacts.length === 0 ? product : `${product} (${contacts.join('; ')})`
}

/** A warning for the operator when the user agent has no contact; `undefined` otherwise. */
export function missingContactWarning({ contactUrl, email }: AgentIdentity): string | undefined {
  if (contactUrl !== undefined || email !== undefined) return undefined
  return 'The User-Agent names no contact: give a URL or an e-mail address, so that site owners can write to you instead of blocking you.'
}

function isWebUrl(text: string): boolean {
  return /^https?:\/\/[\x21-\x7e]+$/.test(text) && !/[()\\]/.test(text) && URL.canParse(text)
}
