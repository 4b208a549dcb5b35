import { expect, it } from 'vitest'
import { completionScript } from './completion-script.ts'
import type { DescribedCommand } from './described-command.ts'

/** test/completion.test.ts runs the scripts of the real commands in real shells. */
const COMMAND: DescribedCommand = {
  name: 'crawl',
  group: 'Crawl',
  summary: `Crawl a site's pages: all of them`,
  description: '',
  arguments: [{ name: 'dir', isRequired: true, isVariadic: false, values: 'directories' }],
  options: [
    {
      long: '--out',
      short: '-o',
      placeholder: '<[host:]port>',
      values: 'none',
      description: `It's [this] \\ that: $HOME \`x\``,
      group: '',
    },
  ],
  notes: '',
}

it('quotes descriptions for each shell', () => {
  expect(completionScript('zsh', [COMMAND])).toContain(
    `'*--out=[It'\\''s \\[this\\] \\\\ that: $HOME \`x\`]:host\\:port: '`,
  )
  expect(completionScript('zsh', [COMMAND])).toContain(`'crawl:Crawl a site'\\''s pages: all of them'`)
  expect(completionScript('fish', [COMMAND])).toContain(
    `-s o -l out -x -d 'It\\'s [this] \\\\ that: $HOME \`x\`'`,
  )
})

it('takes the value of an option for no argument in bash, by both of its names', () => {
  expect(completionScript('bash', [COMMAND])).toContain(`'crawl --out' | 'crawl -o') values='' ;;`)
})

it.each(['bash', 'zsh', 'fish'] as const)('completes the commands after help in %s', (shell) => {
  expect(completionScript(shell, [COMMAND])).toMatch(/help/)
})
