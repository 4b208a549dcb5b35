/** Fails when an import under src/ breaks the layer picture or closes a cycle. */
import { join } from 'node:path'
import { layerProblems } from './layer-problems.ts'
import { LAYERS } from './layers.ts'

const { files, problems } = layerProblems(join(import.meta.dirname, '../src'), LAYERS)
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
} else {
  console.log(`layers: ${files} files, every import is allowed, no cycles, no shared names`)
}
