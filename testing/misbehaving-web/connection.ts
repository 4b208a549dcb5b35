import type { Socket } from 'node:net'
import type { Judge } from '../judge.ts'
import { Exchange, type Response, type WebRequest } from './exchange.ts'

/** Reads the requests of one connection and responds to each, in order. */
export function serveConnection(socket: Socket, judge: Judge, response: Response): void {
  let buffered = Buffer.alloc(0)
  let busy = false
  let served = 0

  /** The next request, removed from the buffer when it is complete. */
  const take = (): WebRequest | undefined => {
    const headEnd = buffered.indexOf('\r\n\r\n')
    if (headEnd < 0) return undefined
    const request = parseHead(buffered.toString('latin1', 0, headEnd), socket, served)
    const bodyEnd = headEnd + 4 + Number(request.headers.get('content-length') ?? 0)
    if (buffered.length < bodyEnd) return undefined
    buffered = buffered.subarray(bodyEnd)
    served++
    return request
  }

  const serveAll = async (): Promise<void> => {
    if (busy) return
    busy = true
    for (let request = take(); request !== undefined; request = take()) await serve(request)
    busy = false
  }

  const serve = (request: WebRequest): Promise<void> =>
    new Promise((over) => {
      const { method, target: path, host, headers } = request
      const address = socket.localAddress ?? ''
      const hit = judge.started({ host, path, method, address, userAgent: headers.get('user-agent') ?? '' })
      const brokenOff = (): void => {
        judge.ended(hit, { brokenOff: true })
        over()
      }
      socket.once('close', brokenOff)
      const exchange = new Exchange(request, socket, (end) => {
        judge.ended(hit, end)
        socket.off('close', brokenOff)
        over()
      })
      // A route that throws is a broken test: let the process see it.
      void response(exchange)
    })

  socket.on('data', (chunk) => {
    buffered = Buffer.concat([buffered, chunk])
    void serveAll()
  })
  // A client that gives up is what these tests are about; 'close' follows.
  socket.on('error', () => {})
}

function parseHead(head: string, socket: Socket, earlierOnConnection: number): WebRequest {
  const [requestLine = '', ...lines] = head.split('\r\n')
  const [method = '', target = ''] = requestLine.split(' ')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  const question = target.indexOf('?')
  return {
    method,
    target,
    path: question < 0 ? target : target.slice(0, question),
    query: new URLSearchParams(question < 0 ? '' : target.slice(question)),
    host: (headers.get('host') ?? '').replace(/:\d*$/, '').toLowerCase(),
    port: socket.localPort ?? 0,
    headers,
    earlierOnConnection,
  }
}
