import type { Session } from './session.ts'

/** The memory limit of the database, in bytes. */
export async function readMemoryLimit(session: Session): Promise<number> {
  const { text } = await session.one<{ text: string }>(`SELECT current_setting('memory_limit') AS text`)
  const [, amount = '', unit = ''] = /^([\d.]+) (\w+)$/.exec(text) ?? []
  const bytes = Number(amount) * 1024 ** UNITS.indexOf(unit)
  if (!(bytes > 0)) throw new Error(`not a memory limit: ${text}`)
  return bytes
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
