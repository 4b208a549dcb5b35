import { spawnSync } from 'node:child_process'
import { installPackages } from './install-packages.ts'

/** Debian's own: other Pythons on the machine do not see its packages. */
export const FTP_PYTHON = '/usr/bin/python3'

/** Installs pyftpdlib when it is missing and we may. `undefined`: it is there; else why not. */
export function requireFtpServer(): string | undefined {
  if (hasFtpServer()) return undefined
  if (installPackages('python3-pyftpdlib') && hasFtpServer()) return undefined
  return 'python3-pyftpdlib is missing, and could not be installed: that takes root and Debian'
}

function hasFtpServer(): boolean {
  return spawnSync(FTP_PYTHON, ['-c', 'import pyftpdlib']).status === 0
}
