/** The primary subtag (`en` of `en-GB`), in lower case, of the first of the tags that is one. */
export function primaryLanguage(...tags: ReadonlyArray<string | undefined>): string | undefined {
  for (const tag of tags) {
    const [, primary] = /^\s*([a-z]{2,3})(?![a-z\d])/i.exec(tag ?? '') ?? []
    if (primary !== undefined) return primary.toLowerCase()
  }
  return undefined
}
