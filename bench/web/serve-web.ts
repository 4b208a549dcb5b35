import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hostName, type WebSize, writeWeb } from './synthetic-web.ts'

export interface ServedWeb {
  readonly port: number
  readonly start: string
  close(): Promise<void>
}

/** Writes the web to a temporary folder and serves it with nginx, which is installed when it is missing and we are root. */
export async function serveWeb(size: WebSize): Promise<ServedWeb> {
  requireNginx()
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-bench-web-'))
  // The server's worker is another user.
  chmodSync(folder, 0o755)
  const port = await freePort()
  writeWeb(join(folder, 'hosts'), port, size)
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port))
  const server = spawn(
    'nginx',
    ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  const start = `http://${hostName(0)}:${port}/page-0.html`
  await until(start)
  return {
    port,
    start,
    async close() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function configuration(folder: string, port: number): string {
  return `
daemon off;
pid ${folder}/nginx.pid;
worker_processes 1;
events { worker_connections 4096; }
http {
  access_log off;
  types { text/html html; text/plain txt; }
  charset utf-8;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  open_file_cache max=20000 inactive=600s;
  client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c; uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
  server {
    listen 0.0.0.0:${port} backlog=4096;
    root ${folder}/hosts/$server_addr;
    location /moved/ { rewrite ^/moved/(.*)$ http://$server_addr:${port}/$1 permanent; }
  }
}
`
}

function requireNginx(): void {
  if (existsSync('/usr/sbin/nginx')) return
  if (process.getuid?.() !== 0)
    throw new Error('this benchmark needs nginx: install it (Debian: apt-get install nginx-light)')
  execFileSync('apt-get', ['update'], { stdio: 'ignore' })
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'nginx-light'], {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function until(url: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    try {
      const response = await fetch(url)
      await response.arrayBuffer()
      if (response.ok) return
    } catch {}
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`nginx does not serve ${url}`)
}
