import { ConfigurationError } from '../base/crawl-error.ts'

/**
 * What an option takes: `count` is an integer of at least 0, `positive` one of at least 1, `number` is finite; `any` is not checked here.
 */
export type OptionKind = 'any' | 'text' | 'texts' | 'flag' | 'count' | 'positive' | 'number' | 'function'

/**
 * Checks the options of a method, for programs in JavaScript. `undefined` counts as absent.
 * @param method for the message: `crawl.run`
 * @throws ConfigurationError OPTION_INVALID, for an unknown option or a value of the wrong kind
 */
export function checkOptions(
  method: string,
  options: object,
  kinds: Readonly<Record<string, OptionKind>>,
): void {
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (kind === undefined)
      throw new ConfigurationError(
        'OPTION_INVALID',
        `${method} has no option ${JSON.stringify(name)}; its options are ${Object.keys(kinds).join(', ')}`,
      )
    const { isValid, text } = KINDS[kind]
    if (value !== undefined && !isValid(value))
      throw new ConfigurationError(
        'OPTION_INVALID',
        `${method}: ${name} must be ${text}, and is ${typeof value === 'number' ? value : JSON.stringify(value)}`,
      )
  }
}

const KINDS: Readonly<Record<OptionKind, { isValid(value: unknown): boolean; readonly text: string }>> = {
  any: { isValid: () => true, text: '' },
  text: { isValid: (value) => typeof value === 'string' && value !== '', text: 'a string' },
  texts: {
    isValid: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
    text: 'an array of strings',
  },
  flag: { isValid: (value) => typeof value === 'boolean', text: 'true or false' },
  count: {
    isValid: (value) => Number.isInteger(value) && Number(value) >= 0,
    text: 'an integer of at least 0',
  },
  positive: {
    isValid: (value) => Number.isInteger(value) && Number(value) >= 1,
    text: 'an integer of at least 1',
  },
  number: { isValid: (value) => Number.isFinite(value), text: 'a number' },
  function: { isValid: (value) => typeof value === 'function', text: 'a function' },
}
