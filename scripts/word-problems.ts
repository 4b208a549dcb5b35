/**
 * Words that the project's texts and names avoid, each with the field's word for it. Only patterns that are wrong wherever they
 * occur are here; `allowed` names the exceptions.
 */
interface AvoidedWord {
  readonly pattern: RegExp
  readonly instead: string
  /** Uses that mean something else. */
  readonly allowed?: RegExp
}

const AVOIDED: readonly AvoidedWord[] = [
  {
    pattern: /\b(?:asks?|asked|asking)\b|\bask[A-Z]|Ask(?:s|ed|er|ing)?(?![a-z])/,
    instead: 'request, fetch, query',
    allowed: /\btask/i,
  },
  {
    pattern: /\banswer(?:s|ed|ing)?\b|\banswer[A-Z]|Answer(?:s|ed)?(?![a-z])/,
    instead: 'response',
    // A key of stored files.
    allowed: /'answer'/,
  },
  {
    pattern: /\b(?:visit(?:s|ed|ing)?|visit[A-Z]\w*)\b|Visit(?:s|ed)?(?![a-z])/,
    instead: 'fetch',
    allowed: /visit\(|const visit\b/,
  },
  {
    pattern: /\brests?\b/,
    instead: 'delay',
    // `rest-too-long` is a stored reason.
    allowed:
      /rest-too-long|\b(?:the|a|this|its|their|all|\.\.\.|const \{[^}]*)\s*rest\b|\.\.\.rest|\brest[.,)\]};]|REST/,
  },
  {
    pattern: /\bpaces?\b|\bpace[A-Z]|Pace(?:s|d)?(?![a-z])/,
    instead: 'throttle state, delay, rate',
    // The name of a key in Redis.
    allowed: /['`:]paces['`]|K\.paces|\bpaces(?: =|:)/,
  },
  { pattern: /\bturn(?:s|ed)? away\b|turnedAway|\bsen[dt] (?:all )?home\b|sendAllHome/, instead: 'rejected' },
  { pattern: /\b(?:go|goes|going|went) on\b|\bgoOn\b/, instead: 'continue, resume' },
  { pattern: /\bback in line\b|\bput back\b|\bputBack\b/, instead: 'requeue' },
  { pattern: /\bnothing is left to\b/, instead: 'finished: queue empty' },
  { pattern: /\bas many \w+ as\b/, instead: 'stopped: … reached' },
  {
    pattern: /\bfold(?:s|ed|ing)?\b|\bfold[A-Z]|Fold(?:s|ed)?(?![a-z])/,
    instead: 'update, merge',
    // Folded lines of a header (obs-fold) are a term of RFC 9112.
    allowed:
      /case[ -]?fold|folder|obs-fold|line folding|\/folded|isFolded|\bFOLD\b|folded (?:lines?|header|length|status line)/i,
  },
  {
    pattern: /\b(?:whoever|nobody|somebody|anybody|everybody)\b/i,
    instead: 'a worker, a process, the caller',
  },
  {
    pattern: /(?<=\S )(?:is|are|was|were) no [a-z]/,
    instead: 'is not a',
    allowed:
      /\b(?:there|[Tt]here|which|it|they) (?:is|are|was|were) no\b|\b(?:is|are|was|were) no (?:longer|more|other|earlier|later|older|newer|larger|smaller|less|greater|higher|lower|longer)\b/,
  },
  { pattern: /\bbeside\b/, instead: 'next to, in addition to' },
  {
    pattern:
      /\b(?:pages?|requests?|URLs?|times|rows|items|records|bytes|MB|kB|calls|adds|leases) (?:a|each) (?:CPU-)?second\b/,
    instead: 'per second',
    // A stored reason.
    allowed: /'too few pages a second'/,
  },
  { pattern: /\bcould not be had\b|\bdie[sd] of\b/, instead: 'failed' },
  { pattern: /\btaken out\b/, instead: 'deleted, removed' },
  {
    pattern: /\b[A-Z]\w*(?:Teller|Asker|Wish|Way|Work)\b|\bsayGoodbye\b|\bshown[A-Z]|\bshown\.ts|shown-lines/,
    instead: 'a noun of the field',
    allowed: /Gateway/,
  },
  { pattern: /\bin front of\b/, instead: 'before' },
]

/** The avoided words in a text, with their lines, counted from 1. */
export function wordProblems(text: string): { line: number; word: string; instead: string }[] {
  return text.split('\n').flatMap((line, i) =>
    AVOIDED.flatMap(({ pattern, instead, allowed }) => {
      const rest = allowed === undefined ? line : line.replace(new RegExp(allowed, `g${allowed.flags}`), '')
      const word = pattern.exec(rest)?.[0]
      return word === undefined ? [] : [{ line: i + 1, word, instead }]
    }),
  )
}
