import { type Command, Option } from 'commander'

/** An option that may stand without its value, as `--redis`. A word after it is its value only if it can be one. */
export class OptionalValue extends Option {
  readonly canBe: (text: string) => boolean

  /** @param canBe whether a word can be the value: `shop.ts` is no address of a Redis */
  constructor(flags: string, description: string, canBe: (text: string) => boolean) {
    super(flags, description)
    this.canBe = canBe
  }
}

/**
 * The words of a command line in an order that says what is meant: in `run --redis shop.ts` the file is the argument of the command, and `--redis` stands
 * alone. Such options go to the end. A word that can be no value stays one when the command has all its arguments, so that its mistake is told.
 */
export function bareOptionsLast(command: Command, words: readonly string[]): string[] {
  const required = command.registeredArguments.filter((argument) => argument.required).length
  const ordered: string[] = []
  const bare: string[] = []
  let given = 0
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    const next = words[i + 1]
    const option = command.options.find(({ long, short }) => word === long || word === short)
    if (word === '--') return [...ordered, ...bare, ...words.slice(i)]
    if (option?.required === true && next !== undefined) {
      ordered.push(word, next)
      i++
    } else if (option instanceof OptionalValue) {
      const isBare = next === undefined || next.startsWith('-') || (!option.canBe(next) && given < required)
      if (isBare) bare.push(word)
      else {
        ordered.push(word, next)
        i++
      }
    } else {
      ordered.push(word)
      if (!word.startsWith('-') || word === '-') given++
    }
  }
  return [...ordered, ...bare]
}
