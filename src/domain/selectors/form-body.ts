/** A field as it is sent. */
export interface FormEntry {
  readonly name: string
  readonly value: string
}

export interface FormBody {
  readonly body: string
  readonly contentType: string
}

/** The body of a POST. An encoding nobody knows, or none, means the usual one. */
export function encodeEntries(entries: readonly FormEntry[], encoding: string | undefined): FormBody {
  switch (encoding?.trim().toLowerCase()) {
    case 'multipart/form-data':
      return multipart(entries)
    case 'text/plain': {
      const body = entries.map(({ name, value }) => `${name}=${value}\r\n`).join('')
      return { body, contentType: 'text/plain' }
    }
    default:
      return { body: encodeQuery(entries), contentType: 'application/x-www-form-urlencoded' }
  }
}

/** As in a URL: a space is `+`. */
export function encodeQuery(entries: readonly FormEntry[]): string {
  return entries.map(({ name, value }) => new URLSearchParams([[name, value]]).toString()).join('&')
}

function multipart(entries: readonly FormEntry[]): FormBody {
  const parts = entries.map(
    ({ name, value }) => `Content-Disposition: form-data; name="${escapeName(name)}"\r\n\r\n${value}\r\n`,
  )
  const boundary = boundaryNotIn(parts)
  const body = `${parts.map((part) => `--${boundary}\r\n${part}`).join('')}--${boundary}--\r\n`
  return { body, contentType: `multipart/form-data; boundary=${boundary}` }
}

function escapeName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}

/** The same for the same fields, so that a request made again is the same request. */
function boundaryNotIn(parts: readonly string[]): string {
  let boundary = 'orbweaver-form'
  while (parts.some((part) => part.includes(boundary))) boundary += '-'
  return boundary
}
