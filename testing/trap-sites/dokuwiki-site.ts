import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { installPackages } from '../install-packages.ts'
import { accepts, freePort } from '../real-web/serve-real-sites.ts'
import { chance, words } from '../synthetic-web/chance.ts'
import type { TrapSite } from './trap-site.ts'

const PROGRAM = '/usr/share/dokuwiki'
const NAMESPACES = 12
const FIRST_EDIT = Date.UTC(2024, 0, 1) / 1000

/** Installs DokuWiki and PHP when they are missing. `false` when they cannot be installed. */
export function requireDokuwiki(): boolean {
  const isInstalled = () => existsSync(join(PROGRAM, 'doku.php')) && existsSync('/usr/bin/php')
  return isInstalled() || (installPackages('dokuwiki', 'php-cli', 'php-xml') && isInstalled())
}

/**
 * A DokuWiki with this many pages in namespaces, each with some old revisions, served by PHP's own server. It marks its
 * views neither with `nofollow` nor with a robots meta element, as older wikis do not: every page links to its history,
 * editor, backlinks, media manager and index, and these to each other.
 */
export async function startDokuwiki(pages: number, revisions = 8): Promise<TrapSite> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-dokuwiki-'))
  const names = writePages(join(folder, 'data'), pages, revisions)
  const conf = join(folder, 'conf')
  cpSync('/etc/dokuwiki', conf, { recursive: true, filter: (path) => !/auth\.php$|\.htaccess$/.test(path) })
  writeFileSync(join(conf, 'local.php'), localConfig(join(folder, 'data')))
  const prepend = join(folder, 'prepend.php')
  writeFileSync(prepend, PREPEND.replace('DIRECTORY', conf))
  const port = await freePort('127.0.0.1')
  const php = spawn(
    '/usr/bin/php',
    [...['-S', `127.0.0.1:${port}`, '-t', PROGRAM], ...['-d', `auto_prepend_file=${prepend}`]],
    { stdio: 'ignore', env: { ...process.env, PHP_CLI_SERVER_WORKERS: '2' }, detached: true },
  )
  const stop = () => {
    // Its workers, too.
    if (php.pid !== undefined && php.exitCode === null) process.kill(-php.pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', stop)
  await accepts(php, port, '127.0.0.1')
  const origin = `http://127.0.0.1:${port}`
  return {
    name: 'dokuwiki',
    seed: `${origin}/doku.php`,
    contentPages: new Map(names.map((name) => [name, { url: `${origin}/doku.php?id=${name}` }])),
    async close() {
      process.off('exit', stop)
      const closed = once(php, 'close')
      stop()
      await closed
    },
  }
}

/** Writes the pages and their history. Each page is linked from an earlier one, so that all can be reached. Returns their ids. */
function writePages(data: string, pages: number, revisions: number): string[] {
  for (const name of 'attic cache index locks log media media_attic media_meta meta pages tmp'.split(' '))
    mkdirSync(join(data, name), { recursive: true })
  const ids = Array.from({ length: pages }, (_, i) => (i === 0 ? 'start' : idOf(i)))
  for (const [i, id] of ids.entries()) {
    const [file, folder] = [id.replace(':', '/'), id.includes(':') ? id.slice(0, id.indexOf(':')) : '']
    for (const kind of ['pages', 'attic', 'meta']) mkdirSync(join(data, kind, folder), { recursive: true })
    const changes: string[] = []
    for (let revision = 0; revision < revisions; revision++) {
      const at = FIRST_EDIT + i * 3600 + revision * 86_400
      const text = pageText(ids, i, revision)
      writeFileSync(join(data, 'attic', `${file}.${at}.txt.gz`), gzipSync(text))
      changes.push(
        [at, '127.0.0.1', revision === 0 ? 'C' : 'E', id, '', words(3, i, revision), '', 40].join('\t'),
      )
    }
    writeFileSync(join(data, 'meta', `${file}.changes`), `${changes.join('\n')}\n`)
    const last = FIRST_EDIT + i * 3600 + (revisions - 1) * 86_400
    writeFileSync(join(data, 'pages', `${file}.txt`), pageText(ids, i, revisions - 1))
    utimesSync(join(data, 'pages', `${file}.txt`), last, last)
  }
  return ids
}

function idOf(i: number): string {
  return `${words(1, i % NAMESPACES, 1)}:${words(2, i, 2).replaceAll(' ', '_')}_${i}`
}

/** A revision appends a sentence to the one before. */
function pageText(ids: readonly string[], i: number, revision: number): string {
  const children = [4 * i + 1, 4 * i + 2, 4 * i + 3, 4 * i + 4].flatMap((child) => ids[child] ?? [])
  const others = [1, 2].map((n) => ids[chance(i, n) % ids.length])
  const paragraphs = Array.from({ length: 4 }, (_, n) => `${words(60, i, n, 3)}.`)
  const edits = Array.from({ length: revision }, (_, n) => `${words(12, i, n, 4)}.`)
  return [
    `====== ${words(3, i, 5)} ======`,
    ...paragraphs,
    ...[...children, ...others].map((id) => `  * [[:${id}]] ${words(4, i, 6)}`),
    ...edits,
  ].join('\n\n')
}

function localConfig(data: string): string {
  return `<?php
$conf['title'] = 'Wiki';
$conf['savedir'] = '${data}';
$conf['useacl'] = 0;
$conf['indexdelay'] = 0;
$conf['relnofollow'] = 0;
`
}

/** Sets the directory of the configuration, and removes what tells crawlers to stay away from views. */
const PREPEND = `<?php
define('DOKU_CONF', 'DIRECTORY/');
ob_start(function ($page) {
  return str_replace(' rel="nofollow"', '', preg_replace('/<meta name="robots"[^>]*>/', '', $page));
});
`
