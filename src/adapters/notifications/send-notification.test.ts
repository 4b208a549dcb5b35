import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { InstantClock } from '../../../testing/instant-clock.ts'
import { wallClock } from '../../base/clock.ts'
import { sendNotification, targetName } from './send-notification.ts'

const NOTIFICATION = {
  document: { event: 'finished', text: '"quoted" $(rm -rf x) `y`\n日本' },
  variables: { ORBWEAVER_REASON: '$(touch hacked); "x"', ORBWEAVER_EXIT_CODE: '3' },
}

describe('a webhook', () => {
  let server: Server
  let url: string
  let bodies: string[]
  let statuses: number[]

  beforeEach(async () => {
    bodies = []
    statuses = []
    server = createServer(async (request, response) => {
      let body = `${request.method} ${request.headers['content-type']} `
      for await (const chunk of request) body += String(chunk)
      bodies.push(body)
      const status = statuses.shift() ?? 200
      if (status === 0) response.destroy()
      else response.writeHead(status).end('thanks')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  })

  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  it('gets one POST request with the document', async () => {
    await sendNotification(url, NOTIFICATION, { clock: new InstantClock() })
    expect(bodies).toEqual([`POST application/json ${JSON.stringify(NOTIFICATION.document)}`])
  })

  it('is tried three times while the server fails', async () => {
    const clock = new InstantClock()
    statuses = [503, 0]
    await sendNotification(url, NOTIFICATION, { clock })
    expect(bodies).toHaveLength(3)
    expect(clock.waitsMs).toEqual([1_000, 4_000])
    statuses = [500, 500, 500]
    await expect(sendNotification(url, NOTIFICATION, { clock })).rejects.toThrow('it returned 500')
    expect(bodies).toHaveLength(6)
  })

  it('is not tried again if the request is wrong', async () => {
    statuses = [404]
    const sending = sendNotification(url, NOTIFICATION, { clock: new InstantClock() })
    await expect(sending).rejects.toThrow('it returned 404')
    expect(bodies).toHaveLength(1)
  })

  it('reports a connection that is refused', async () => {
    const sending = sendNotification('http://127.0.0.1:1/', NOTIFICATION, { clock: new InstantClock() })
    await expect(sending).rejects.toThrow(/ECONNREFUSED|bad port/)
  })

  it('has a time limit', async () => {
    server.removeAllListeners('request')
    const sending = sendNotification(url, NOTIFICATION, { clock: new InstantClock(), requestMs: 50 })
    await expect(sending).rejects.toThrow(/timeout/)
  })
})

describe('a command', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orbweaver-notify-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('gets the document on standard input and the variables, which are only text', async () => {
    const file = join(folder, 'out')
    const command = `cat > ${file} && printf '%s|%s' "$ORBWEAVER_REASON" "$ORBWEAVER_EXIT_CODE" >> ${file}`
    await sendNotification(command, NOTIFICATION, { clock: wallClock })
    const [document = '', variables] = readFileSync(file, 'utf8').split('\n')
    expect(JSON.parse(document)).toEqual(NOTIFICATION.document)
    expect(variables).toBe('$(touch hacked); "x"|3')
  })

  it('fails with its exit code', async () => {
    await expect(sendNotification('exit 7', NOTIFICATION, { clock: wallClock })).rejects.toThrow(
      'its exit code is 7',
    )
  })

  it('need not read its input', async () => {
    const large = { ...NOTIFICATION, document: { text: 'x'.repeat(1_000_000) } }
    await sendNotification('true', large, { clock: wallClock })
  })

  it('is ended after its time limit, with its children', async () => {
    const sending = sendNotification('sleep 60 | sleep 60', NOTIFICATION, {
      clock: wallClock,
      commandMs: 100,
    })
    await expect(sending).rejects.toThrow('it was ended after 0.1 s')
  })
})

it('names a webhook without its secrets', () => {
  expect(targetName('https://user:pw@hooks.example.org/T0/secret?x')).toBe('https://hooks.example.org')
  expect(targetName('mail -s done me')).toBe('mail -s done me')
})
