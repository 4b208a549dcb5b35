/** The values that a shell can complete: the listed words, names of files, or names of directories. `none`: any text. */
export type CompletedValues = 'directories' | 'files' | 'none' | readonly string[]

export interface DescribedArgument {
  readonly name: string
  readonly isRequired: boolean
  readonly isVariadic: boolean
  readonly values: CompletedValues
}

export interface DescribedOption {
  /** `--delay`. */
  readonly long: string
  /** `-q`. */
  readonly short: string | undefined
  /** `<seconds>`, or `[url]` if the value may be left out. `undefined`: a flag without a value. */
  readonly placeholder: string | undefined
  readonly values: CompletedValues
  readonly description: string
  /** The heading in the help, without the colon. Empty: `Options`. */
  readonly group: string
}

export interface DescribedCommand {
  readonly name: string
  /** The heading under which the help of the program lists the command, without the colon. */
  readonly group: string
  /** One line. */
  readonly summary: string
  readonly description: string
  readonly arguments: readonly DescribedArgument[]
  readonly options: readonly DescribedOption[]
  /** The text after the options in the help: explanations, examples, exit codes. */
  readonly notes: string
}
