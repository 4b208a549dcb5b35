import { parseSync } from 'vite'

/** Functions that take any number of arguments and are called with lists. */
const LIST_FUNCTION =
  /(?:\.(?:push|unshift|splice|concat)|^Math\.(?:max|min)|^String\.from(?:CharCode|CodePoint))$/

/**
 * The lines of a source file that spread a list into the arguments of a function such as `push` or `Math.max`. Each
 * argument takes a place on the stack: a list of some 120,000 elements, which one page can have, throws a RangeError.
 */
export function spreadProblems(file: string, source: string): number[] {
  const problems: number[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if (isCall(node) && node.arguments.some(({ type }) => type === 'SpreadElement')) {
      const callee = source.slice(node.callee.start, node.callee.end)
      if (LIST_FUNCTION.test(callee)) problems.push(source.slice(0, node.start).split('\n').length)
    }
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseSync(file, source).program)
  return problems
}

interface Call {
  readonly start: number
  readonly callee: { readonly start: number; readonly end: number }
  readonly arguments: ReadonlyArray<{ readonly type: string }>
}

function isCall(node: object): node is Call {
  return 'type' in node && node.type === 'CallExpression'
}
