import type { z } from 'zod'

/** A tool that a language model can call. */
export interface McpTool {
  readonly name: string
  readonly title: string
  /** For the model: what it does, when to use it. */
  readonly description: string
  readonly input: z.ZodObject
  /** It changes nothing. */
  readonly readOnly: boolean
  /** It sends requests to the web. */
  readonly openWorld: boolean
  /** @param input validated */
  run(input: never, call: ToolCall): Promise<ToolResult>
}

/** One call of a tool. */
export interface ToolCall {
  /** Aborted when the client cancels the call or the server ends. */
  readonly signal: AbortSignal
  /** Reports progress to the client, if it requested progress. */
  progress(done: number, total: number, message: string): void
}

export interface ToolResult {
  /** For the model. */
  readonly text: string
  /** The same as data, for programs. */
  readonly data?: Readonly<Record<string, unknown>>
  /** @default false */
  readonly isError?: boolean
}

/** A tool, with the type of its input from its schema. */
export function mcpTool<Input extends z.ZodObject>(
  tool: Omit<McpTool, 'input' | 'run'> & {
    readonly input: Input
    run(input: z.infer<Input>, call: ToolCall): Promise<ToolResult>
  },
): McpTool {
  return tool as McpTool
}
