import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Exports a growing log: directory, last item, items per step, length of their text, targets. */
export const EXPORT_PROGRAM = fileURLToPath(new URL('./follow-items-process.ts', import.meta.url))

/**
 * Starts a process that exports a growing log, and kills it when it is that far. Returns how far it was.
 * @param args as `EXPORT_PROGRAM` takes them
 */
export async function killExport(
  enough: number,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const child = spawn(process.execPath, [EXPORT_PROGRAM, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  const exit = once(child, 'exit')
  let told = ''
  child.stdout.on('data', (text) => {
    told += text
    if (furthestIn(told) >= enough) child.kill('SIGKILL')
  })
  const [code, signal] = await exit
  if (signal !== 'SIGKILL') throw new Error(`the export ended before it was killed, with code ${code}`)
  return furthestIn(told)
}

function furthestIn(told: string): number {
  return Number(told.trimEnd().split('\n').at(-1))
}
