import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { LayerTable } from './layer-problems.ts'
import { arrow, type Box, band, LINE, svgImage, wrapWords } from './svg-shapes.ts'

const WIDTH = 860
const GAP = 34

/** What each layer is for. A layer without a line here is an error, so that a new one is explained. */
const PURPOSES: Readonly<Record<string, string>> = {
  '.': 'public doors: lists of exported names',
  cli: 'commands: parse flags, call wiring, print',
  demo: 'demo sites',
  wiring: 'builds a crawl or a spider from its settings, for commands and programs alike',
  flows: 'sequences of steps over ports',
  adapters: 'implementations of ports',
  domain: 'rules, and the ports that adapters implement; each folder may import the ones before it',
  base: 'clock, errors, durable files, small types',
}

/**
 * The layers of `src/` as a picture: an arrow goes to each layer that a layer may import, unless another arrow leads there.
 * @param source the folder of the layers
 */
export function layerDiagram(layers: LayerTable, source: string): string {
  const imports = layerImports(layers)
  const rows = rowsOf(imports)
  const boxes = new Map<string, Box>()
  const shapes: string[] = []
  let y = 10
  for (const row of rows) {
    const width = (WIDTH - 20 - (row.length - 1) * 20) / row.length
    const below = rows[rows.indexOf(row) + 1] ?? []
    const contents = row.map((layer) => [
      ...wrapWords((PURPOSES[layer] ?? missing(layer)).split(' '), width / 6.6 - 16),
      ...wrapWords(foldersOf(layer, layers, source), width / 6.6 - 16),
      // An arrow past a row would cross its boxes.
      ...directImports(layer, imports)
        .filter((target) => !below.includes(target))
        .map((target) => `imports only ${target}/`),
    ])
    const height = Math.max(...contents.map((lines) => lines.length)) * LINE + 22
    for (const [i, layer] of row.entries()) {
      const box = { x: 10 + i * (width + 20), y, width, height }
      boxes.set(layer, box)
      shapes.push(band(box, layer === '.' ? 'src/*.ts' : `${layer}/`, contents[i] ?? []))
    }
    y += height + GAP
  }
  for (const [i, row] of rows.entries())
    for (const layer of row)
      for (const target of directImports(layer, imports))
        if (rows[i + 1]?.includes(target)) shapes.push(arrowBetween(boxes, layer, target))
  return svgImage({ width: WIDTH, height: y - GAP + 10 }, TITLE, shapes)
}

const TITLE =
  'Layers of src: the doors and cli use wiring, wiring uses flows and adapters, both use domain, and domain uses base'

/** Layer → layers that its folders may import, itself excluded. */
function layerImports(layers: LayerTable): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>()
  for (const [folder, allowed] of Object.entries(layers)) {
    const layer = layerOf(folder)
    const below = imports.get(layer) ?? new Set()
    for (const other of allowed.map(layerOf)) if (other !== layer) below.add(other)
    imports.set(layer, below)
  }
  return imports
}

const layerOf = (folder: string): string => folder.split('/')[0] ?? folder

/** The layers from top to bottom: each is one row below the lowest layer that imports it. */
function rowsOf(imports: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const rowOf = (layer: string): number =>
    Math.max(-1, ...[...imports].filter(([, below]) => below.has(layer)).map(([above]) => rowOf(above))) + 1
  const rows: string[][] = []
  for (const layer of imports.keys()) {
    const row = rowOf(layer)
    rows[row] = [...(rows[row] ?? []), layer]
  }
  return rows.map((row) => row.sort((a, b) => (b === '.' ? 1 : a === '.' ? -1 : isSide(a) - isSide(b))))
}

/** Layers that only one layer uses stand at the side. */
const isSide = (layer: string): number => (layer === 'demo' ? 1 : 0)

/** The folders of a layer: in the order of the table if it has one for each, otherwise by name. */
function foldersOf(layer: string, layers: LayerTable, source: string): string[] {
  if (layer === '.')
    return ['index', 'crawl', 'spider', 'config', 'url', 'robots', 'page', 'politeness', 'http']
  if (!LISTED.includes(layer)) return []
  const folders = globSync('*/', { cwd: join(source, layer) })
    .map((folder) => basename(folder))
    .sort()
  const ordered = Object.keys(layers)
    .filter((folder) => folder.startsWith(`${layer}/`))
    .map((folder) => basename(folder))
  return ordered.length === folders.length
    ? ordered.map((folder, i) => (i === 0 ? folder : `< ${folder}`))
    : folders
}

/** The layers whose folders are parts with a purpose of their own. */
const LISTED = ['flows', 'adapters', 'domain']

/** The layers that a layer imports, without those that one of them imports, too. */
function directImports(layer: string, imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const all = [...(imports.get(layer) ?? [])]
  return all.filter((target) => !all.some((between) => imports.get(between)?.has(target)))
}

/** From the middle of the upper box to the middle of the lower one; straight down if one is wide. */
function arrowBetween(boxes: ReadonlyMap<string, Box>, from: string, to: string): string {
  const [upper, lower] = [boxes.get(from) ?? missing(from), boxes.get(to) ?? missing(to)]
  const middle = ({ x, width }: Box): number => x + width / 2
  const start = middle(upper.width <= lower.width ? upper : lower)
  const end = upper.width === lower.width ? middle(lower) : start
  const [top, bottom] = [upper.y + upper.height + 3, lower.y - 3]
  const lane = (top + bottom) / 2
  return start === end
    ? arrow([start, top], [end, bottom])
    : arrow([start, top], [start, lane], [end, lane], [end, bottom])
}

function missing(layer: string): never {
  throw new Error(`scripts/layer-diagram.ts does not know the layer ${layer}`)
}
