import { type Parameter, splitUrl } from './url-pattern.ts'

/** Evidence whether a parameter changes the words of pages: pairs of pages whose URLs differ in this parameter alone. */
export interface ParameterEvidence {
  /** Host, path pattern and name: `example.org/list?sort=`. */
  readonly slot: string
  readonly same: number
  readonly different: number
  /** The user does not want it to be ignored. */
  readonly refused: boolean
  /** Due URLs that the last fetch list did not take because of it. */
  readonly held: number
}

/** Pairs with the same words after which a parameter is ignored. */
const MIN_PAIRS = 5
/** Share of pairs that may differ: a page may have changed between two fetches. */
const MAX_DIFFERENT = 0.05

/** Whether URLs that differ in this parameter alone count as one page. */
export function isIgnored({ same, different, refused }: ParameterEvidence): boolean {
  return !refused && same >= MIN_PAIRS && different <= MAX_DIFFERENT * (same + different)
}

/** The slots of a URL's parameters, each with the URL without that parameter. */
export function parameterVariants(
  url: string,
  placePattern: string,
): Array<{ slot: string; remainder: string }> {
  const { parameters } = splitUrl(url)
  return parameters.map((parameter) => ({
    slot: `${placePattern}?${parameter[0]}=`,
    remainder: joined(
      url,
      parameters.filter((other) => other !== parameter),
    ),
  }))
}

/** The URL without ignored parameters, with the others in order: equal for URLs that count as one page. `slot`: the first of them. */
export function essentialUrl(
  url: string,
  placePattern: string,
  ignored: ReadonlySet<string>,
): { readonly url: string; readonly slot: string | undefined } {
  const { parameters } = splitUrl(url)
  const slotOf = ([name]: Parameter) => `${placePattern}?${name}=`
  const first = parameters.find((parameter) => ignored.has(slotOf(parameter)))
  return {
    url: joined(
      url,
      parameters.filter((parameter) => !ignored.has(slotOf(parameter))),
    ),
    slot: first && slotOf(first),
  }
}

function joined(url: string, parameters: readonly Parameter[]): string {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  const parts = parameters.map(([name, value]) => (value === undefined ? name : `${name}=${value}`))
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`
}
