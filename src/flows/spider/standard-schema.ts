/**
 * A schema of any library that follows Standard Schema (zod, valibot, arktype, …), as far as items need it.
 * @see https://standardschema.dev
 */
export interface StandardSchema<Input, Output> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaVerdict<Output> | Promise<SchemaVerdict<Output>>
    /** Never there at run time. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

export type SchemaVerdict<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

export interface SchemaIssue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

/** What is wrong with an item, in a line: `price: expected number; title: too short`. */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  const lines = issues.map(({ message, path = [] }) => {
    const where = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
    return where === '' ? message : `${where}: ${message}`
  })
  return lines.join('; ') || 'the schema refuses it'
}
