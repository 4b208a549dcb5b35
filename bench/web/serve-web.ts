import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPackages } from '../../testing/install-packages.ts'
import { removeFolder } from '../remove-folder.ts'
import { undoAtExit } from '../undo-at-exit.ts'
import { hostName, type WebSize, writeWeb } from './synthetic-web.ts'

/** What the web has seen since it was started. */
export interface WebTraffic {
  readonly connections: number
  readonly requests: number
}

export interface ServedWeb {
  readonly port: number
  readonly start: string
  traffic(): Promise<WebTraffic>
  close(): Promise<void>
}

/** Where Debian puts it; not every user's PATH has it. */
const NGINX = '/usr/sbin/nginx'

/** Writes the web to a temporary folder and serves it with nginx, which is installed when it is missing and we are root. */
export async function serveWeb(size: WebSize): Promise<ServedWeb> {
  requireNginx()
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-bench-web-'))
  // The server's worker is another user.
  chmodSync(folder, 0o755)
  const port = await freePort()
  writeWeb(join(folder, 'hosts'), port, size)
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, size.shared ?? false))
  const server = spawn(
    NGINX,
    ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
    // Where it may not raise its limit of open files, it prints a note and continues.
    // The head of a group, so that it can be ended with its worker at once.
    { stdio: 'ignore', detached: true },
  )
  const undone = undoAtExit(() => {
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL')
    removeFolder(folder)
  })
  const close = async () => {
    undone()
    const ended = server.exitCode === null ? once(server, 'exit') : undefined
    server.kill('SIGTERM')
    await ended
    removeFolder(folder)
  }
  const start = `http://${hostName(0)}:${port}/page-0.html`
  if (!(await serves(start))) {
    const log = readFileSync(join(folder, 'error.log'), 'utf8')
    await close()
    throw new Error(`nginx does not serve ${start}\n${log}`)
  }
  let looks = 0
  return {
    port,
    start,
    async traffic() {
      const status = await (await fetch(`http://127.0.0.1:${port}${STATUS}`)).text()
      // One line has three numbers: connections accepted, connections handled, requests.
      const [, connections, requests] = /^ (\d+) \d+ (\d+)/m.exec(status) ?? []
      return { connections: Number(connections), requests: Number(requests) - ++looks }
    },
    close,
  }
}

const STATUS = '/server-status'

function configuration(folder: string, port: number, shared: boolean): string {
  return `
daemon off;
pid ${folder}/nginx.pid;
worker_processes 1;
worker_rlimit_nofile 40000;
events { worker_connections 20000; }
http {
  access_log off;
  types { text/html html; text/plain txt; }
  charset utf-8;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c; uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
  map $server_addr $folder { ${shared ? `~(?<last>[0-9]+)$ ${SHARED_FOLDER}.$last` : 'default $server_addr'}; }
  server {
    listen 0.0.0.0:${port} backlog=4096;
    allow 127.0.0.0/8;
    deny all;
    root ${folder}/hosts/$folder;
    location = ${STATUS} { stub_status; }
    location /moved/ { rewrite ^/moved/(.*)$ http://$server_addr:${port}/$1 permanent; }
  }
}
`
}

/** The first hosts, which have pages of their own, differ in the last number only. */
const SHARED_FOLDER = hostName(0).replace(/\.\d+$/, '')

function requireNginx(): void {
  if (!existsSync(NGINX) && !installPackages('nginx-light'))
    throw new Error('this benchmark needs nginx: install it (Debian: apt-get install nginx-light)')
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function serves(url: string): Promise<boolean> {
  for (let attempt = 0; attempt < 100; attempt++) {
    try {
      const response = await fetch(url)
      await response.arrayBuffer()
      if (response.ok) return true
    } catch {}
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}
