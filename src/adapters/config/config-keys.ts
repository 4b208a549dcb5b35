import { z } from 'zod'
import { configSchema } from './config-schema.ts'
import { docs } from './config-values.ts'

/** One key of a configuration, for messages and for docs/configuration.md. */
export interface ConfigKey {
  /** `politeness.hosts.*.delaySeconds`; `*` stands for a name that the user chooses. */
  readonly path: string
  readonly description: string
  /** Markdown. */
  readonly type: string
  readonly default: unknown
  /** Whether it is an object with further keys. */
  readonly isSection: boolean
}

/** Every key, in the order of the schema; a section precedes its keys. */
export function configKeys(): ConfigKey[] {
  const root = z.toJSONSchema(configSchema(), {
    io: 'input',
    unrepresentable: 'any',
    metadata: docs,
  }) as Shape
  return [...keysOf(root, '')]
}

/** The part of a JSON schema that is used here. */
interface Shape {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: Shape | false
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly displayType?: string
}

function* keysOf(shape: Shape, path: string): Generator<ConfigKey> {
  for (const [name, inner] of Object.entries(propertiesOf(shape))) {
    const key = path === '' ? name : `${path}.${name}`
    const isSection = inner.type === 'object' && inner.properties !== undefined
    yield {
      path: key,
      description: inner.description ?? '',
      type: typeOf(inner),
      default: inner.default,
      isSection,
    }
    yield* keysOf(inner, key)
    if (typeof inner.additionalProperties === 'object') yield* keysOf(inner.additionalProperties, `${key}.*`)
  }
}

/** The properties of all forms of a value. */
function propertiesOf({ properties, anyOf = [], oneOf = [] }: Shape): Readonly<Record<string, Shape>> {
  return Object.assign({}, ...[...anyOf, ...oneOf].map(propertiesOf), properties)
}

function typeOf(shape: Shape): string {
  if (shape.displayType !== undefined) return shape.displayType
  const forms = shape.anyOf ?? shape.oneOf
  if (forms !== undefined) return [...new Set(forms.map(typeOf))].join(' or ')
  if (shape.const !== undefined) return `\`${JSON.stringify(shape.const)}\``
  if (shape.enum !== undefined) return shape.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (shape.type === 'array') return `list of ${pluralOf(shape.items ?? {})}`
  return shape.type === 'boolean' ? '`true`, `false`' : (shape.type ?? 'anything')
}

function pluralOf(shape: Shape): string {
  const type = typeOf(shape)
  return type.startsWith('`') ? type : `${type}s`
}
