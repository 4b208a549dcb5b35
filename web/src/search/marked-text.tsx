import type { TextPart } from '../../../src/adapters/serve/answers.ts'

/** A text with what was searched for marked. */
export function MarkedText({ parts }: { readonly parts: readonly TextPart[] }) {
  return <>{parts.map(({ text, marked }) => (marked ? <mark>{text}</mark> : text))}</>
}
