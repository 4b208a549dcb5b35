import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPackages } from '../install-packages.ts'
import type { RealSite } from './real-sites.ts'

const NGINX = '/usr/sbin/nginx'

export interface ServedSites {
  /** Seed URL of each site, in the order of the sites. Each site has an address of its own. */
  readonly seeds: readonly string[]
  close(): Promise<void>
}

/** Installs nginx when it is missing. `false` when it cannot be installed. */
export function requireNginx(): boolean {
  return existsSync(NGINX) || (installPackages('nginx-light') && existsSync(NGINX))
}

/** Serves each site with nginx on an address of 127.0.1.0/24. At most 250 sites. */
export async function serveRealSites(sites: readonly RealSite[]): Promise<ServedSites> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-nginx-'))
  const port = await freePort()
  writeFileSync(join(folder, 'nginx.conf'), nginxConfig(sites, port))
  const nginx = spawn(NGINX, ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const stop = () => {
    nginx.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', stop)
  try {
    await accepts(nginx, port)
  } catch (error) {
    stop()
    throw error
  }
  return {
    seeds: sites.map(({ seed = '/' }, i) => `http://${addressOf(i)}:${port}${seed}`),
    async close() {
      process.off('exit', stop)
      const closed = once(nginx, 'close')
      stop()
      await closed
    },
  }
}

function addressOf(i: number): string {
  return `127.0.1.${i + 1}`
}

function nginxConfig(sites: readonly RealSite[], port: number): string {
  const servers = sites.map(
    ({ root }, i) => `  server { listen ${addressOf(i)}:${port}; root ${root}; autoindex on; }`,
  )
  // One process, so that SIGKILL leaves nothing behind.
  return `daemon off;
master_process off;
pid nginx.pid;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  access_log off; log_not_found off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  keepalive_requests 100000;
${servers.join('\n')}
}
`
}

/** A port of a loopback address that no server uses. */
export async function freePort(address = addressOf(0)): Promise<number> {
  const server = createServer().listen(0, address)
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Resolves when a server accepts connections. */
export async function accepts(server: ChildProcess, port: number, address = addressOf(0)): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`${server.spawnfile} ended with ${server.exitCode}`)
    const socket = connect(port, address)
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
