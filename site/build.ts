/**
 * Builds the documentation site into site/dist: `node site/build.ts [--base /path/]`. Broken links, broken anchors and problems of the API
 * reference are errors.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'vitepress'
import { writeApiReference } from './api-reference.ts'
import { siteProblems } from './site-problems.ts'

const { values } = parseArgs({ options: { base: { type: 'string', default: '/' } } })
await writeApiReference()
await build(import.meta.dirname, { base: values.base })
const problems = siteProblems(join(import.meta.dirname, 'dist'), values.base)
if (problems.length > 0) throw new Error(`problems of the site:\n${problems.join('\n')}`)
