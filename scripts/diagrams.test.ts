import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cycleDiagram } from './cycle-diagram.ts'
import { layerDiagram } from './layer-diagram.ts'
import { LAYERS } from './layers.ts'
import { walkDiagram } from './walk-diagram.ts'

const root = join(import.meta.dirname, '..')
const architecture = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
const image = (name: string): string => join(root, 'docs/images', `${name}.svg`)

// `npx vitest run --project unit -u scripts/diagrams.test.ts` draws them again.
it('has a current picture of the layers in docs/images', async () => {
  await expect(layerDiagram(LAYERS, join(root, 'src'))).toMatchFileSnapshot(image('layers'))
})

it('has current pictures of the walks of a URL', async () => {
  await expect(
    walkDiagram(architecture, 'A URL in `orbweaver crawl`', ['Update', 'Generate']),
  ).toMatchFileSnapshot(image('url-in-crawl'))
  await expect(
    walkDiagram(architecture, 'A URL in `orbweaver run --redis`', ['Settle', 'Queue']),
  ).toMatchFileSnapshot(image('url-in-run'))
})

it('has a current picture of the crawl cycle', async () => {
  await expect(cycleDiagram()).toMatchFileSnapshot(image('cycle'))
})

it('names a layer that the picture does not explain', () => {
  expect(() => layerDiagram({ ...LAYERS, plugins: ['base'] }, join(root, 'src'))).toThrow('the layer plugins')
})

it('names a walk without the steps of its loop', () => {
  expect(() => walkDiagram(architecture, 'A URL in `orbweaver crawl`', ['Update', 'Lease'])).toThrow('Lease')
})
