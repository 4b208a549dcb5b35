/** The reason phrase of an HTTP status, such as `Not Found`; `undefined` for an unknown status. */
export function reasonPhrase(status: number): string | undefined {
  // An import of node:http reads all its exports, and so loads the `fetch` of Node.js: 60 ms of CPU time.
  return process.getBuiltinModule('node:http').STATUS_CODES[status]
}
