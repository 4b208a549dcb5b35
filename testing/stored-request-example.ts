/** A request with every member that can be stored. */
export const STORED_REQUEST = {
  url: 'http://a.test/',
  method: 'POST',
  headers: { accept: '*/*' },
  body: 'x',
  base64: true,
  handler: 'parse',
  meta: { list: [1, null] },
  priority: -1.5,
  dontFilter: true,
  notBefore: 1,
  depth: 2,
  from: 'http://a.test/1',
  redirectedFrom: ['http://a.test/0'],
}
