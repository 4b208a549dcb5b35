import type { AiUseStatement } from './ai-use.ts'
import { parseRobots } from './parse-robots.ts'
import type { RobotsRules } from './robots-rules.ts'
import type { RobotsVerdict } from './robots-verdict.ts'

/**
 * The statements of an ai.txt (spawning.ai): groups as in robots.txt, whose Allow and Disallow lines tell which files may be used for training
 * by path or by the extension of their type, as in `Disallow: *.html`.
 */
export class AiTxt {
  readonly #rules: RobotsRules
  /** The same for all pages. */
  readonly #images: readonly AiUseStatement[]

  /** @param octets the body, one character for each octet */
  constructor(octets: string, agents: string | readonly string[]) {
    this.#rules = parseRobots(Buffer.from(octets, 'latin1')).rulesFor(agents)
    this.#images = imageStatements(IMAGE_PATHS.map((path) => this.#rules.judge(path)))
  }

  /** @param url absolute */
  statements(url: string): readonly AiUseStatement[] {
    const asHtml = htmlPath(url)
    const verdicts = [...(asHtml === undefined ? [] : [asHtml]), url].map((path) => this.#rules.judge(path))
    const decided = verdicts.find(({ kind }) => kind === 'rule')
    return decided === undefined ? this.#images : [statementOf('train', decided), ...this.#images]
  }
}

const IMAGE_PATHS = ['bmp', 'gif', 'jpeg', 'jpg', 'png', 'svg', 'tiff', 'webp'].map(
  (type) => `/image.${type}`,
)

function imageStatements(verdicts: readonly RobotsVerdict[]): AiUseStatement[] {
  const byRule = verdicts.filter(({ kind }) => kind === 'rule')
  const decided = byRule.find(({ allowed }) => !allowed) ?? byRule[0]
  return decided === undefined ? [] : [statementOf('images', decided)]
}

function statementOf(use: AiUseStatement['use'], { allowed, line }: RobotsVerdict): AiUseStatement {
  return { use, preference: allowed ? 'allow' : 'disallow', source: 'ai.txt', text: line?.text ?? '' }
}

/** A URL without an extension is a page: rules for `*.html` apply to it. `undefined` if it has one. */
function htmlPath(url: string): string | undefined {
  const { pathname } = new URL(url)
  const name = pathname.slice(pathname.lastIndexOf('/') + 1)
  if (name.includes('.')) return undefined
  return name === '' ? `${pathname}index.html` : `${pathname}.html`
}
