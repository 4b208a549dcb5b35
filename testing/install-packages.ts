import { spawnSync } from 'node:child_process'

/**
 * Installs Debian packages without removing others. `false` if they are not installed: not root, not Debian, a conflict
 * with an installed package, or a failed download.
 */
export function installPackages(...names: readonly string[]): boolean {
  if (process.getuid?.() !== 0) return false
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args: string[]) => spawnSync('apt-get', args, { env, timeout: 300_000 }).status === 0
  const install = () => apt('install', '-y', '--no-install-recommends', '--no-remove', ...names)
  // A fresh machine has no lists yet, and one that has need not load them again.
  return install() || (apt('update') && install())
}
