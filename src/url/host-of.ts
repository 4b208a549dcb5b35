/** The host of a normalised URL, without its port: `www.example.com`, `127.0.0.1`, `[::1]`. */
export function hostOf(url: string): string {
  const start = url.indexOf('//') + 2
  const slash = url.indexOf('/', start)
  const authority = slash === -1 ? url.slice(start) : url.slice(start, slash)
  const colon = authority.lastIndexOf(':')
  // An IPv6 address has colons too, inside brackets.
  return colon === -1 || authority.endsWith(']') ? authority : authority.slice(0, colon)
}
