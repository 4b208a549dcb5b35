export interface PathOptions {
  /** `/a` and `/a/`. `add` leaves alone what looks like a file name, and neither touches the root. @default 'keep' */
  readonly trailingSlash?: 'keep' | 'add' | 'remove'
  /** `/a/index.html` becomes `/a/`. @default false */
  readonly removeDefaultPage?: boolean
}

export interface PathRules extends PathOptions {
  readonly removeSessionIds: boolean
}

/** The normal form of the path of a parsed http URL. */
export function normalizePath(pathname: string, rules: PathRules): string {
  let path = normalizeEscapes(pathname)
  // What one rule removes may leave work for another (`/a/..;sid=1`). Each pass but the last shortens the path or
  // adds its one trailing slash, so this ends.
  for (;;) {
    const before = path
    if (rules.removeSessionIds) path = removePathSessionIds(path)
    path = removeDotSegments(collapseSlashes(path))
    if (rules.removeDefaultPage === true) path = path.replace(DEFAULT_PAGE, '/')
    if (rules.trailingSlash === 'add') path = addTrailingSlash(path)
    if (rules.trailingSlash === 'remove') path = removeTrailingSlashes(path)
    if (path === before) return path
  }
}

/** The server's own choice for a directory, with the extensions Nutch knows. */
const DEFAULT_PAGE = /\/(?:index|default)\.(?:[psx]?html?|php[3-8]?|aspx?|jsp[ax]?|jsf|cgi|cfm)$/i

/** `://` stays, so that `/web/2020/http://example.com/` still names what an archive holds. */
function collapseSlashes(path: string): string {
  return path.includes('//') ? path.replace(/(?<!:)\/{2,}/g, '/') : path
}

/** As the URL standard does it. Escaped dots are already decoded. */
function removeDotSegments(path: string): string {
  if (!path.includes('/.')) return path
  const segments = path.split('/').slice(1)
  const last = segments.length - 1
  const kept: string[] = []
  for (const [i, segment] of segments.entries()) {
    if (segment === '..') kept.pop()
    if (segment !== '.' && segment !== '..') kept.push(segment)
    else if (i === last) kept.push('')
  }
  return `/${kept.join('/')}`
}

/** A dot and up to five characters at the end look like a file name. */
function addTrailingSlash(path: string): string {
  return path.endsWith('/') || /\.[^./]{1,5}$/.test(path) ? path : `${path}/`
}

function removeTrailingSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path.endsWith('/', end)) end--
  return path.slice(0, end)
}

/** Percent escapes, lone percent signs, and the ASCII characters that RFC 3986 has no place for in a path or query. */
const TO_REWRITE = /%(?:[0-9A-Fa-f]{2})?|[\0- "<>[\\\]^`{|}\x7f]/g
const UNRESERVED = /[A-Za-z0-9\-._~]/

/**
 * One spelling for each path or query that the URL standard left with several: escaped unreserved characters are
 * decoded, other escapes get upper-case digits, a `%` that starts no escape becomes `%25`, and what must be escaped is.
 * `text` is ASCII. The output is stable: every `%` in it starts an upper-case escape of a character that needs one.
 */
export function normalizeEscapes(text: string): string {
  return text.replace(TO_REWRITE, rewrite)
}

function rewrite(found: string): string {
  if (found === '%') return '%25'
  if (found.length === 1) return `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  const character = String.fromCharCode(Number.parseInt(found.slice(1), 16))
  return UNRESERVED.test(character) ? character : found.toUpperCase()
}

/** Nutch's session id names: `sid`, `phpsessid`, `sessionid`, plain or with a `_`, `l`, `j` or `bv_` before. */
const NAME = '_?(?:l|j|bv_)?(?:sid|phpsessid|sessionid)'

const PARAMETER = new RegExp(`^${NAME}=`, 'i')
const PATH_PARAMETER = new RegExp(`;${NAME}=[^;/]*`, 'gi')

/** Whether `name=value` is a session id. `newsid=15` and `addressid=2` are not. */
export function isSessionParameter(parameter: string): boolean {
  return PARAMETER.test(parameter)
}

/** Drops `;jsessionid=…`; unlike Nutch's rule it stops at the end of the segment, so `/a;sid=1/b` keeps `/b`. */
function removePathSessionIds(path: string): string {
  return path.includes(';') ? path.replace(PATH_PARAMETER, '') : path
}
