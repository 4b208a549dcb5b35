/** A URL that may be opened; `undefined` for all but http and https, such as `javascript:`. */
export function webHref(url: string): string | undefined {
  const parsed = URL.parse(url)
  return parsed?.protocol === 'http:' || parsed?.protocol === 'https:' ? parsed.href : undefined
}
