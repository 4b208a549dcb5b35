import type { CrawlEvent } from '../../base/event-log.ts'
import { printable } from '../../base/printable.ts'

export const LOG_FORMATS = ['pretty', 'json'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** Writes an event as a line of text, without the line break. @param at ms since the epoch */
export type EventFormatter = (event: CrawlEvent, at: number) => string

export function formatterOf(format: LogFormat): EventFormatter {
  return format === 'json' ? jsonLine : prettyLine
}

/**
 * One JSON object: `time` (ISO 8601, UTC), `level`, `topic`, `code`, `message`, `url`, `host`, `data`. JSON escapes line breaks and C0
 * control characters; the other characters that change how a terminal displays a line are escaped, too.
 */
export function jsonLine({ level, topic, code, message, url, host, data }: CrawlEvent, at: number): string {
  const time = new Date(at).toISOString()
  const text = JSON.stringify({
    ...{ time, level, topic, code },
    ...{ message: limited(message), url: limited(url), host: limited(host), data },
  })
  return text.replace(UNSAFE, (character) => {
    const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  })
}

/** `14:05:07.250 warning robots: message [ROBOTS_UNREACHABLE] url`. Further lines of a message, such as a stack, are indented. */
export function prettyLine({ level, topic, code, message, url }: CrawlEvent, at: number): string {
  const time = new Date(at).toISOString().slice(11, 23)
  const [first = '', ...rest] = messageLines(message)
  const link = url === undefined || message.includes(url) ? '' : ` ${printable(url, MAX_LENGTH)}`
  const head = `${time} ${level.padEnd(7)} ${topic}: ${first} [${code}]${link}`
  return [head, ...rest.map((line) => `  ${line}`)].join('\n')
}

/** The message for people alone, with `warning: ` before it where one is due. */
export function plainMessage({ level, message }: Pick<CrawlEvent, 'level' | 'message'>): string {
  return messageLines(level === 'warning' ? `warning: ${message}` : message).join('\n')
}

/** Control characters of each line are replaced. Indentation stays. */
function messageLines(message: string): string[] {
  return message.split('\n').map((line) => `${/^ */.exec(line)?.[0] ?? ''}${printable(line, MAX_LENGTH)}`)
}

/** A hostile URL or title may be megabytes long. */
const MAX_LENGTH = 2_000
const MAX_TEXT = 10_000

function limited(text: string | undefined): string | undefined {
  return text === undefined || text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`
}

/** Characters that JSON allows in a string but that move the cursor, forge a line or display text differently. */
const UNSAFE =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
