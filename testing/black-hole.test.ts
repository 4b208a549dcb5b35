import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { startBlackHole } from './black-hole.ts'

it('neither accepts nor rejects a connection', async () => {
  const hole = await startBlackHole()
  const client = connect({ port: hole.port, host: '127.0.0.1', timeout: 200 })
  try {
    const first = await Promise.race(
      ['connect', 'error', 'timeout'].map((event) => once(client, event).then(() => event)),
    )
    expect(first).toBe('timeout')
  } finally {
    client.destroy()
    await hole.close()
  }
})
