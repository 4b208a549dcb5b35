import { type Command, Option } from 'commander'

/** An option whose value may be omitted, such as `--redis`. The next argument is its value only if `isValue` accepts it. */
export class OptionalValueOption extends Option {
  readonly isValue: (text: string) => boolean
  /** An argument that `isValue` rejects is never the value. */
  readonly isStrict: boolean

  /** @param isValue whether an argument can be the value: `shop.ts` is not the address of a Redis */
  constructor(flags: string, description: string, isValue: (text: string) => boolean, isStrict = false) {
    super(flags, description)
    this.isValue = isValue
    this.isStrict = isStrict
  }
}

/** Options that were renamed, by their old names. The help shows only the new ones. */
export const RENAMED_OPTIONS: Readonly<Record<string, string>> = {
  '--time-limit': '--max-time',
  '--max-depth': '--depth',
  '--crawl': '--job',
  '--no-norm': '--no-normalize',
}

/**
 * Arguments as Commander parses them correctly. Old names of options are replaced. In `run --redis shop.ts` the file is the argument of the command:
 * an option without its value moves to the end. If the command already has all its arguments, the next argument stays the value, so that the error
 * message names it.
 */
export function arrangeArguments(command: Command, args: readonly string[]): string[] {
  const required = command.registeredArguments.filter((argument) => argument.required).length
  const find = (name: string) => command.options.find(({ long, short }) => name === long || name === short)
  const ordered: string[] = []
  const withoutValue: string[] = []
  let given = 0
  for (let i = 0; i < args.length; i++) {
    const arg = currentName(args[i] ?? '', find)
    const next = args[i + 1]
    const option = find(arg)
    if (arg === '--') return [...ordered, ...withoutValue, ...args.slice(i)]
    if (option?.required === true && next !== undefined) {
      ordered.push(arg, next)
      i++
    } else if (option instanceof OptionalValueOption) {
      const isOmitted =
        next === undefined ||
        next.startsWith('-') ||
        (!option.isValue(next) && (option.isStrict || given < required))
      if (isOmitted) withoutValue.push(arg)
      else {
        ordered.push(arg, next)
        i++
      }
    } else {
      ordered.push(arg)
      if (!arg.startsWith('-') || arg === '-') given++
    }
  }
  return [...ordered, ...withoutValue]
}

function currentName(arg: string, find: (name: string) => Option | undefined): string {
  const [, name = '', value = ''] = /^(--[^=]+)(=.*)?$/s.exec(arg) ?? []
  const renamed = RENAMED_OPTIONS[name]
  return renamed !== undefined && find(name) === undefined && find(renamed) !== undefined
    ? `${renamed}${value}`
    : arg
}
