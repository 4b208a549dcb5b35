import type { Command, Option } from 'commander'

/** A flag of a command line as the user gave it. */
export interface GivenFlag {
  readonly option: Option
  /** `--no-http2` */
  readonly name: string
  /** Absent: the flag has none. */
  readonly value?: string
}

/** The flags among the arguments of a command, in their order. `args` as Commander parses them. */
export function givenFlags(command: Command, args: readonly string[]): GivenFlag[] {
  const flags: GivenFlag[] = []
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? ''
    if (arg === '--') break
    const [, name = arg, inline] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? []
    const option = command.options.find(({ long, short }) => name === long || name === short)
    if (option === undefined) continue
    const next = args[i + 1]
    const takesNext =
      inline === undefined &&
      (option.required || (option.optional && next !== undefined && !next.startsWith('-')))
    if (takesNext) i++
    const value = takesNext ? next : inline
    flags.push({ option, name: option.long ?? name, ...(value !== undefined && { value }) })
  }
  return flags
}
