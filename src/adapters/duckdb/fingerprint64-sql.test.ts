import { expect, it } from 'vitest'
import { fingerprint64 } from '../../domain/url/fingerprint.ts'
import { fingerprint64Sql } from './fingerprint64-sql.ts'
import { openInstance } from './open-instance.ts'

it('gives fingerprint64, which md5_number_upper gives too', async () => {
  const instance = await openInstance(':memory:', {})
  const connection = await instance.connect()
  const reader = await connection.runAndReadAll(
    `SELECT text, ${fingerprint64Sql('text')}, md5_number_upper(text) FROM (SELECT 'https://a.test/' || range AS text FROM range(1000))`,
  )
  for (const [text, ours, theirs] of reader.getRowsJS()) {
    expect(ours).toBe(theirs)
    expect(ours).toBe(fingerprint64(String(text)))
  }
  const none = await connection.runAndReadAll(`SELECT ${fingerprint64Sql('NULL::VARCHAR')}`)
  expect(none.getRowsJS()).toEqual([[null]])
  connection.disconnectSync()
  instance.closeSync()
})
