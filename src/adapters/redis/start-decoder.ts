import { TextDecoder } from 'node:util'
import { ConfigurationError } from '../../base/crawl-error.ts'

/** A message as text. */
export interface DecodedStart {
  /** With U+FFFD for what cannot be read. */
  readonly text: string
  /** Why it is not text, and the original message; absent if it is text. */
  readonly fault?: { readonly ok: false; readonly reason: string; readonly base64: string }
}

/** Reads messages as `scripts/take-starts.ts` tells them, in whatever encoding they were pushed. */
export class StartDecoder {
  readonly #encoding: string
  readonly #strict: TextDecoder
  readonly #lenient: TextDecoder

  /** @throws ConfigurationError */
  constructor(encoding: string) {
    try {
      this.#strict = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
      this.#lenient = new TextDecoder(encoding)
    } catch (cause) {
      throw new ConfigurationError(
        'SETTING_INVALID',
        `start messages cannot be read as ${JSON.stringify(encoding)}: name an encoding as web pages do, such as utf-8, gbk, shift_jis or windows-1252`,
        { cause },
      )
    }
    this.#encoding = encoding
  }

  decode(wire: string): DecodedStart {
    const bytes = Buffer.from(wire.slice(1), wire.startsWith('x') ? 'hex' : 'latin1')
    try {
      return { text: this.#strict.decode(bytes) }
    } catch {
      const reason = `not ${this.#encoding === 'utf-8' ? 'UTF-8' : this.#encoding}`
      return {
        text: this.#lenient.decode(bytes),
        fault: { ok: false, reason, base64: bytes.toString('base64') },
      }
    }
  }
}
