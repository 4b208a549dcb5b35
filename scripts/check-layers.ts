/** Fails when an import under src/ goes up the layer picture, into a folder it may not see, or round in a circle. */
import { join } from 'node:path'
import { layerProblems } from './layer-problems.ts'
import { LAYERS } from './layers.ts'

const { files, problems } = layerProblems(join(import.meta.dirname, '../src'), LAYERS)
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
} else {
  console.log(`layers: ${files} files, no import goes up and none goes round`)
}
