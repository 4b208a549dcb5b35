import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { packageVersion } from '../src/base/package-version.ts'
import { describeCommands } from '../src/cli/describe-commands.ts'
import { idleContext } from '../testing/idle-context.ts'
import { releaseSection } from './changelog.ts'
import { manPage } from './man-page.ts'

const ROOT = join(import.meta.dirname, '..')

/** After a change of a command, and of the version: `npx vitest run --project unit -u scripts/man-page.test.ts`. */
it('is man/orbweaver.1', async () => {
  const commands = await describeCommands(idleContext())
  const version = packageVersion()
  const { date = '' } = releaseSection(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version) ?? {}
  await expect(manPage(commands, { version, date })).toMatchFileSnapshot('../man/orbweaver.1')
})
