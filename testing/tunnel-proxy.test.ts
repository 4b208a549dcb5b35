import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { startMisbehavingWeb } from './misbehaving-web.ts'
import { startTunnelProxy } from './tunnel-proxy.ts'

it('connects every address to this machine and records it', async () => {
  const web = await startMisbehavingWeb()
  const proxy = await startTunnelProxy()
  const client = connect(Number(new URL(proxy.url).port), '127.0.0.1')
  client.write(`CONNECT 93.184.215.14:${new URL(web.origin('a.test')).port} HTTP/1.1\r\n\r\n`)
  client.once('data', () => client.write('GET /http-0.9 HTTP/1.1\r\nHost: a.test\r\n\r\n'))
  try {
    expect(await text(client)).toContain('<title>fine</title>')
    expect(proxy.goals).toEqual(['93.184.215.14'])
  } finally {
    await Promise.all([web.close(), proxy.close()])
  }
})
