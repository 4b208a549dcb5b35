import type { Readable, Writable } from 'node:stream'
import { z } from 'zod'
import { ConfigurationError, CrawlError } from '../../base/crawl-error.ts'
import type { McpTool, ToolCall, ToolResult } from './mcp-tool.ts'

export interface ServeToolsOptions {
  readonly name: string
  readonly version: string
  /** For the model: what the server offers. */
  readonly instructions: string
  readonly input: Readable
  readonly output: Writable
  /** Ends the server. */
  readonly signal: AbortSignal
  /** Gets errors that are not expected, and problems of the connection. */
  readonly onError: (error: unknown) => void
}

/** Longer texts are truncated: a model could not read them. */
export const MAX_RESULT_CHARS = 200_000
const PROGRESS_EVERY_MS = 500

/**
 * Serves tools until the input ends or `signal` is aborted. Then running tools are cancelled and awaited.
 * @throws ConfigurationError if the SDK is not installed
 */
export async function serveTools(tools: readonly McpTool[], options: ServeToolsOptions): Promise<void> {
  const { Server, StdioServerTransport, CallToolRequestSchema, ListToolsRequestSchema } = await loadSdk()
  const { name, version, instructions, input, output, signal, onError } = options
  const ending = new AbortController()
  const running = new Set<Promise<unknown>>()
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const listed = tools.map(listedTool)
  const server = new Server({ name, version }, { capabilities: { tools: {} }, instructions })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const token = extra._meta?.progressToken
    const send = (progress: number, total: number, message: string) =>
      token === undefined
        ? undefined
        : extra.sendNotification({
            method: 'notifications/progress',
            params: { progressToken: token, progress, total, message },
          })
    const call = toolCall(AbortSignal.any([extra.signal, ending.signal]), send)
    const result = runTool(byName.get(params.name), params.name, params.arguments ?? {}, call, onError)
    running.add(result)
    try {
      return callResult(await result)
    } finally {
      running.delete(result)
    }
  })
  server.onerror = onError
  const ended = new Promise<void>((resolve) => {
    input.once('end', resolve)
    input.once('close', resolve)
    output.once('error', () => resolve())
    signal.addEventListener('abort', () => resolve(), { once: true })
    if (signal.aborted) resolve()
  })
  await server.connect(new StdioServerTransport(input, output))
  await ended
  ending.abort()
  await Promise.allSettled(running)
  await server.close()
}

async function loadSdk() {
  try {
    const [server, stdio, types] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/index.js'),
      import('@modelcontextprotocol/sdk/server/stdio.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ])
    const { CallToolRequestSchema, ListToolsRequestSchema } = types
    return { Server: server.Server, ...stdio, CallToolRequestSchema, ListToolsRequestSchema }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ConfigurationError(
      'OPTION_INVALID',
      'the MCP server needs a package that is not installed: npm install @modelcontextprotocol/sdk',
      { cause: error },
    )
  }
}

function listedTool({ name, title, description, input, readOnly, openWorld }: McpTool) {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' })
  return {
    name,
    title,
    description,
    inputSchema: { ...schema, type: 'object' as const },
    annotations: {
      title,
      readOnlyHint: readOnly,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: openWorld,
    },
  }
}

/** Progress is sent twice a second at most, and only if it grew, as the protocol demands. */
function toolCall(
  signal: AbortSignal,
  send: (done: number, total: number, message: string) => Promise<void> | undefined,
): ToolCall {
  let sentAt = Number.NEGATIVE_INFINITY
  let last = -1
  return {
    signal,
    progress(done, total, message) {
      if (done <= last || performance.now() - sentAt < PROGRESS_EVERY_MS) return
      last = done
      sentAt = performance.now()
      send(done, total, message)?.catch(() => {})
    },
  }
}

/** Never rejects: an error is a result that the model can read. */
async function runTool(
  tool: McpTool | undefined,
  name: string,
  args: unknown,
  call: ToolCall,
  onError: (error: unknown) => void,
): Promise<ToolResult> {
  if (tool === undefined) return { isError: true, text: `there is no tool ${JSON.stringify(name)}` }
  const input = tool.input.safeParse(args)
  if (!input.success) return { isError: true, text: `invalid arguments: ${z.prettifyError(input.error)}` }
  if (call.signal.aborted) return CANCELLED
  try {
    return await tool.run(input.data as never, call)
  } catch (error) {
    if (call.signal.aborted) return CANCELLED
    if (error instanceof CrawlError) return { isError: true, text: `${error.code}: ${error.message}` }
    onError(error)
    const message = error instanceof Error ? error.message : String(error)
    return { isError: true, text: `the tool failed unexpectedly: ${message}` }
  }
}

const CANCELLED: ToolResult = { isError: true, text: 'the call was cancelled' }

function callResult({ text, data, isError = false }: ToolResult) {
  const isLong = text.length > MAX_RESULT_CHARS
  const shown = isLong ? `${text.slice(0, MAX_RESULT_CHARS).toWellFormed()}\n(truncated)` : text
  return {
    content: [{ type: 'text' as const, text: shown }],
    ...(data !== undefined && !isLong && { structuredContent: data }),
    isError,
  }
}
