import { ElementNode, type TreeNode } from '../../selectors/nodes.ts'

/** The language of a code block as the classes of its elements name it (`language-ts`, `highlight-python`); `''`: unknown. */
export function codeLanguage(pre: ElementNode): string {
  const inside = firstElement(pre)
  for (const element of [inside?.name === 'code' ? inside : undefined, pre, ...around(pre)]) {
    const language = element === undefined ? undefined : languageOf(element)
    if (language !== undefined) return language
  }
  return ''
}

function firstElement(node: TreeNode): ElementNode | undefined {
  for (let child = node.firstChild; child !== null; child = child.next)
    if (child instanceof ElementNode) return child
  return undefined
}

/** The wrappers that documentation generators put around code. */
function around(pre: ElementNode): ElementNode[] {
  const wrappers: ElementNode[] = []
  for (
    let at = pre.parent;
    at instanceof ElementNode && at.name === 'div' && wrappers.length < 2;
    at = at.parent
  )
    wrappers.push(at)
  return wrappers
}

function languageOf(element: ElementNode): string | undefined {
  const given = element.attribute('data-lang') ?? element.attribute('data-language')
  if (given !== undefined && PLAIN_NAME.test(given)) return given.toLowerCase()
  const classes = element.attribute('class')
  const name = classes === undefined ? undefined : BY_CLASS.exec(classes)?.[1]?.toLowerCase()
  return name === undefined || NO_LANGUAGE.has(name) ? undefined : name
}

const PLAIN_NAME = /^[\w+#.-]{1,30}$/
const BY_CLASS =
  /(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source-|text-)?|brush:\s*|sourceCode\s+|src-)([\w+#.-]{1,30})/
/** Names that generators write where they know of none. */
const NO_LANGUAGE = new Set([
  'default',
  'none',
  'notranslate',
  'plaintext',
  'text',
  'txt',
  'highlight',
  'nohighlight',
])
