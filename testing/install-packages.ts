import { spawnSync } from 'node:child_process'

/** Installs Debian's packages when we may. `false`: they are not there, as we are not root, this is no Debian, or it did not work. */
export function installPackages(...names: readonly string[]): boolean {
  if (process.getuid?.() !== 0) return false
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args: string[]) => spawnSync('apt-get', args, { env, timeout: 300_000 }).status === 0
  const install = () => apt('install', '-y', '--no-install-recommends', ...names)
  // A fresh machine has no lists yet, and one that has need not load them again.
  return install() || (apt('update') && install())
}
