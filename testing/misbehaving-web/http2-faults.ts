import type { Socket } from 'node:net'
import type { ConnectionFault } from './connection-faults.ts'
import {
  data,
  FRAME,
  frame,
  goAway,
  headers,
  literalHeader,
  onHttp2Request,
  resetStream,
} from './http2-frames.ts'

const PAGE = '<title>h2</title>'
const INTERNAL_ERROR = 2

/** Hosts of the TLS port that offer HTTP/2 and then break it. */
export const http2Faults: Readonly<Record<string, ConnectionFault>> = {
  'h2-good.test': h2('responses as it should', (socket, id) => {
    socket.write(Buffer.concat([headers(id), data(id, PAGE, { end: true })]))
  }),
  'h2-reset.test': h2('resets the stream instead of responding', (socket, id) => {
    socket.write(resetStream(id, INTERNAL_ERROR))
  }),
  'h2-reset-mid-body.test': h2('resets the stream in the middle of the body', (socket, id) => {
    socket.write(Buffer.concat([headers(id), data(id, PAGE), resetStream(id, INTERNAL_ERROR)]))
  }),
  'h2-goaway.test': h2('says goodbye in the middle of the body', (socket, id) => {
    socket.end(Buffer.concat([headers(id), data(id, PAGE), goAway(id, 0)]))
  }),
  'h2-goaway-at-once.test': h2('says goodbye before it has read the request', (socket) => {
    socket.end(goAway(0, 0))
  }),
  'h2-stalled.test': h2('sends the head and never a byte of the body', (socket, id) => {
    socket.write(headers(id))
  }),
  'h2-silent.test': h2('never responds', () => {}),
  'h2-push.test': h2('pushes an unrequested resource', (socket, id) => {
    const promise = Buffer.concat([Buffer.of(0, 0, 0, 2), Buffer.of(0x82, 0x84)])
    socket.write(
      Buffer.concat([frame(FRAME.pushPromise, 4, id, promise), headers(id), data(id, PAGE, { end: true })]),
    )
  }),
  'h2-continuation.test': h2('a header block without end', (socket, id) => {
    socket.write(headers(id, { last: false }))
    flood(socket, frame(FRAME.continuation, 0, id, literalHeader('x-more', 'y'.repeat(100))))
  }),
  'h2-ping.test': h2('pings without end and never responds', (socket) => {
    flood(socket, frame(FRAME.ping, 0, 0, Buffer.alloc(8)))
  }),
  'h2-settings.test': h2('changes its settings without end and never responds', (socket) => {
    flood(socket, frame(FRAME.settings, 0, 0))
  }),
  'h2-hpack-bomb.test': h2('a header block of 4 KB that unpacks to 16 MB', (socket, id) => {
    // The first header goes into the table (0x40); every 0xbe after it repeats it in one byte.
    const stored = Buffer.concat([
      Buffer.of(0x40, 1),
      Buffer.from('x'),
      Buffer.of(0x7f, 0xa1, 0x1e),
      Buffer.alloc(4_000, 'y'),
    ])
    const bomb = Buffer.concat([stored, Buffer.alloc(4_000, 0xbe)])
    socket.write(Buffer.concat([headers(id, { more: bomb }), data(id, PAGE, { end: true })]))
  }),
  'h2-garbage.test': {
    entries: [15],
    about: 'agrees on HTTP/2 and then speaks HTTP/1.1',
    accept: (socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'))
    },
  },
  'h2-hang-up.test': {
    entries: [15],
    about: 'agrees on HTTP/2 and hangs up',
    accept: (socket) => {
      socket.on('error', () => {})
      socket.end()
    },
  },
}

function h2(about: string, response: (socket: Socket, streamId: number) => void): ConnectionFault {
  return {
    entries: [26],
    about: `HTTP/2: ${about}`,
    accept: (socket) => onHttp2Request(socket, (streamId) => response(socket, streamId)),
  }
}

/** `bytes` over and over, at the speed at which the client takes them, until it hangs up; 64 MB at most. */
function flood(socket: Socket, bytes: Buffer): void {
  const many = Buffer.concat(Array<Buffer>(Math.ceil(16_384 / bytes.length)).fill(bytes))
  let left = 4_096
  const next = (): void => {
    while (left-- > 0 && !socket.destroyed) if (!socket.write(many)) return
  }
  socket.on('drain', next)
  next()
}
