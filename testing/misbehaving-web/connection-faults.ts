import type { Socket } from 'node:net'

/** A host that misbehaves before any request can be read: each has a port of its own. */
export interface ConnectionFault {
  readonly entries: readonly number[]
  readonly about: string
  readonly accept: (socket: Socket) => void
}

/** By host name; `web.origin(name)` leads there. */
export const connectionFaults: Readonly<Record<string, ConnectionFault>> = {
  'silent.test': {
    entries: [9, 14],
    about: 'accepts and never says a word, neither in TLS nor in HTTP',
    accept: (socket) => socket.resume(),
  },
  'reset.test': {
    entries: [11],
    about: 'resets every connection as soon as it has a request',
    accept: (socket) => socket.once('data', () => socket.resetAndDestroy()),
  },
  'hang-up.test': {
    entries: [11],
    about: 'closes every connection as soon as it has a request',
    accept: (socket) => socket.once('data', () => socket.end()),
  },
  'ssh.test': { entries: [16], about: 'an SSH server', accept: banner('SSH-2.0-OpenSSH_9.9\r\n') },
  'smtp.test': { entries: [16], about: 'a mail server', accept: banner('220 mail.test ESMTP ready\r\n') },
  'redis.test': { entries: [16], about: 'a Redis server', accept: banner("-ERR unknown command 'GET'\r\n") },
  'tls-alert.test': {
    entries: [16],
    about: 'a TLS server on a plain port: a fatal alert for what is not TLS',
    accept: banner(Buffer.of(0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x46)),
  },
}

/** Speaks first, as such servers do, and hangs up on the request it cannot understand. */
function banner(text: string | Uint8Array): (socket: Socket) => void {
  return (socket) => {
    socket.write(text)
    socket.once('data', () => socket.end())
  }
}
