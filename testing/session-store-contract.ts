import { beforeEach, describe, expect, it } from 'vitest'
import type { SessionState, SessionStore } from '../src/domain/frontier/session-store.ts'

/** Contract tests of every store of sessions. @param open a store of a new crawl, or once more of the same one */
export function sessionStoreContract(
  name: string,
  open: () => Promise<{ readonly store: SessionStore; reopen(): Promise<SessionStore> }>,
): void {
  describe(`${name} as a store of sessions`, () => {
    let store: SessionStore
    let reopen: () => Promise<SessionStore>

    beforeEach(async () => {
      ;({ store, reopen } = await open())
    })

    const take = async (wish: { id?: string; isNew?: boolean }, max = 2) =>
      (await store.take({ ...wish, max })) as SessionState

    it('creates sessions up to the maximum', async () => {
      const [a, b] = [await take({}), await take({})]
      expect(a.id).not.toBe(b.id)
      expect(await take({})).toBeUndefined()
      expect(await take({ isNew: true })).toBeUndefined()
      expect(await take({}, 3)).toMatchObject({ requests: 0, isLoggedIn: false, cookies: [] })
    })

    it('returns a released session as it was saved', async () => {
      const { id } = await take({})
      const cookie = { name: 'sid', value: 'x', domain: 'a.test', hostOnly: true, path: '/', secure: false }
      const saved: SessionState = {
        ...{ id, isLoggedIn: true, errorScore: 0.5, requests: 7, sites: ['a.test'] },
        cookies: [{ ...cookie, expiresAt: 9e12, site: 'a.test' }],
        headers: { authorization: 'Bearer x' },
        proxy: 'socks5://me:secret@127.0.0.1:1080',
      }
      expect(await store.save([saved])).toEqual([])
      await store.release([id])
      expect(await take({})).toEqual(saved)
      await store.release([id])
      store = await reopen()
      expect(await take({ id })).toEqual(saved)
    })

    it('knows sessions by their ids, and forgets retired ones', async () => {
      const session = await take({})
      expect(await take({ id: 'missing' })).toBe('unknown')
      await store.save([{ ...session, isRetired: true }])
      expect(await take({ id: session.id })).toBe('unknown')
      expect((await take({}, 1)).id).not.toBe(session.id)
    })
  })
}
