import { expect, it } from 'vitest'
import { markdownTable } from '../../../testing/markdown-table.ts'
import { controlApi } from './serve-control.ts'

/** After a change of the API, update docs/control-api-reference.md with `npx vitest run --project unit src/wiring/control -u`. */
it('is docs/control-api-reference.md', async () => {
  await expect(reference(controlApi() as unknown as Api)).toMatchFileSnapshot(
    '../../../docs/control-api-reference.md',
  )
})

/** The parts of the OpenAPI document that are shown. */
interface Api {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Call>>>>
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly schemas: Readonly<Record<string, Schema>>
  }
}

interface Call {
  readonly summary: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<Parameter | Reference>
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

interface Reference {
  readonly $ref: string
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
}

function reference({ paths, components }: Api): string {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => callText(`${method.toUpperCase()} ${path}`, call)),
  )
  const schemas = Object.entries(components.schemas)
    // Its keys are those of docs/configuration.md.
    .filter(([name]) => name !== 'Settings')
    .map(([name, schema]) => `### ${name}\n\n${schemaText(schema)}`)
  return `${[
    '# Control API reference',
    `All calls of the [control API](control-api.md) with their parameters, bodies and errors. This page is made
of the [OpenAPI document](openapi.json). Paths start with \`/api/v1\`.`,
    '## Calls',
    ...calls,
    '## Documents',
    `A field with * is always there, as a parameter with * is in calls. \`Settings\` has keys of the [configuration](configuration.md); the
OpenAPI document lists those that can be set over the API.`,
    ...schemas,
  ].join('\n\n')}\n`
}

function callText(
  title: string,
  { summary, description, parameters = [], requestBody, responses }: Call,
): string {
  const query = parameters.filter((parameter) => 'in' in parameter)
  const [status = '', ...errors] = Object.keys(responses).sort()
  const lines = [
    ...query.map(parameterText),
    ...(requestBody === undefined
      ? []
      : [`Body: ${bodyType(requestBody.content)}${requestBody.required ? '' : ' (optional)'}`]),
    `Response: ${status} ${bodyType(responses[status]?.content)}`,
    ...(errors.length === 0 ? [] : [`Errors: ${errors.join(', ')}`]),
  ]
  const about = description === undefined ? `${summary}.` : `${summary}. ${description}`
  return `### \`${title}\`\n\n${about}\n\n${lines.map((line) => `- ${line}`).join('\n')}`
}

function parameterText({ name, required, schema }: Parameter): string {
  return `Query: \`${name}\`${required ? ' *' : ''}: ${aboutText(schema)}`
}

function aboutText({ description, default: value }: Schema): string {
  const standard =
    value === undefined ? '' : `Default: ${typeof value === 'string' ? value : JSON.stringify(value)}.`
  return `${description ?? ''} ${standard}`.trim()
}

function bodyType(content: Content | undefined): string {
  return typeText(content?.['application/json']?.schema ?? {})
}

function schemaText(schema: Schema): string {
  const rows = [...fieldsOf(schema)]
  return rows.length === 0 ? typeText(schema) : markdownTable(['field', 'type', 'description'], rows)
}

/** The fields of an object and of the objects in it. */
function* fieldsOf({ properties = {}, required = [] }: Schema, parent = ''): Generator<string[]> {
  for (const [name, schema] of Object.entries(properties)) {
    const path = `${parent}${name}`
    yield [`\`${path}\`${required.includes(name) ? ' *' : ''}`, typeText(schema), aboutText(schema)]
    yield* fieldsOf(schema, `${path}.`)
    if (schema.items !== undefined) yield* fieldsOf(schema.items, `${path}[].`)
  }
}

function typeText({
  $ref,
  enum: choices,
  const: only,
  anyOf,
  type,
  items,
  additionalProperties,
}: Schema): string {
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1)
    return name === 'Settings' ? '`Settings`' : `[${name}](#${name.toLowerCase()})`
  }
  if (choices !== undefined) return choices.map((choice) => `\`${String(choice)}\``).join(', ')
  if (only !== undefined) return `\`${String(only)}\``
  if (anyOf !== undefined) return anyOf.map(typeText).join(' or ')
  if (type === 'array') return `list of ${typeText(items ?? {})}`
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0)
    return `object with values of type ${typeText(additionalProperties)}`
  return type ?? 'anything'
}
