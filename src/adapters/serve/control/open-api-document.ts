import { z } from 'zod'
import type { JsonObject } from '../../../base/json.ts'
import { CONTROL_OPERATIONS, type ControlOperation } from './control-operations.ts'
import { crawlName, namedSchemas } from './control-schemas.ts'

export interface OpenApiOptions {
  /** Of the program. */
  readonly version: string
  /** JSON schema of the settings that can be set over the API. */
  readonly settings: JsonObject
}

/** The OpenAPI 3.1 document of the control API, made of its operations and schemas. */
export function openApiDocument({ version, settings }: OpenApiOptions): JsonObject {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Orbweaver control API',
      version,
      description: 'Creates, configures, starts and stops crawls. Nothing can be deleted over the API.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }],
    paths: pathsOf(Object.entries(CONTROL_OPERATIONS)),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token of orbweaver serve --control.' },
      },
      parameters: {
        name: { name: 'name', in: 'path', required: true, schema: jsonSchema(crawlName) },
      },
      responses: { error: { description: 'The request failed.', content: content('Error') } },
      schemas: { ...componentSchemas(), Settings: settings },
    },
  }
}

function pathsOf(operations: readonly [string, ControlOperation][]): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const [operationId, operation] of operations)
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method]: operationObject(operationId, operation),
    }
  return paths
}

function operationObject(operationId: string, operation: ControlOperation): JsonObject {
  const { summary, description, path, query, body, status, response, errors = [] } = operation
  const isPublic = path === '/health'
  const parameters = [
    ...(path.includes('{name}') ? [{ $ref: '#/components/parameters/name' }] : []),
    ...(query === undefined ? [] : queryParameters(query)),
  ]
  const problems = isPublic ? [] : [...(body || query ? [400] : []), 401, ...errors]
  return {
    ...{ operationId, summary },
    ...(description !== undefined && { description }),
    ...(isPublic && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      // A start without limits needs no body.
      requestBody: { required: !body.safeParse({}).success, content: content(nameOf(body)) },
    }),
    responses: {
      [status]: { description: 'OK', content: content(nameOf(response)) },
      ...Object.fromEntries(problems.map((code) => [code, { $ref: '#/components/responses/error' }])),
    },
  }
}

function queryParameters(query: z.ZodObject): JsonObject[] {
  return Object.entries(query.shape).map(([name, schema]) => ({
    ...{ name, in: 'query', required: !schema.safeParse(undefined).success },
    schema: jsonSchema(schema),
  }))
}

function content(schema: string): JsonObject {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } }
}

function nameOf(schema: z.core.$ZodType): string {
  const name = namedSchemas.get(schema)?.id
  if (name === undefined) throw new RangeError('a schema of the control API has no name')
  return name
}

function componentSchemas(): Record<string, JsonObject> {
  const { schemas } = z.toJSONSchema(namedSchemas, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
  })
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutHeader(schema)]))
}

function jsonSchema(schema: z.core.$ZodType): JsonObject {
  return withoutHeader(z.toJSONSchema(schema, { io: 'input' }))
}

/** OpenAPI names the dialect and the schemas itself. */
function withoutHeader(schema: object): JsonObject {
  const { $schema: _, $id: __, id: ___, ...content } = schema as Record<string, never>
  return content
}
