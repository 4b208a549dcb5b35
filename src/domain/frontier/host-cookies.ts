import type { Cookie } from '../fetch/cookie.ts'

/** The cookies of a worker by host. A frontier that several processes share moves them to the next owner of the host. */
export interface HostCookies {
  /** Replaces the cookies of a host that another worker may have had meanwhile. */
  restore(host: string, cookies: readonly Cookie[]): void

  /** All cookies of a host, oldest first, if they differ from those of the last call for it. `undefined`: they do not. */
  changed(host: string): readonly Cookie[] | undefined
}
