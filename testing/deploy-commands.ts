import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

/** A folder of this repository with the files of deploy/. */
export const DEPLOY = join(import.meta.dirname, '../deploy')

/** A command line of `orbweaver` in deploy/. */
export interface DeployedCommand {
  /** Where it is: `compose worker`, `kubernetes dashboard`. */
  readonly name: string
  readonly args: readonly string[]
}

interface ComposeService {
  readonly image: string
  readonly command?: readonly string[]
  readonly hostname?: string
  readonly ports?: readonly string[]
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly configs: { readonly redis: { readonly content: string } }
}

/** A manifest of Kubernetes, as far as tests read it. */
export interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
  readonly spec: {
    readonly template?: {
      readonly metadata: {
        readonly labels: Readonly<Record<string, string>>
        readonly annotations?: Readonly<Record<string, string>>
      }
      readonly spec: PodSpec
    }
    readonly [name: string]: unknown
  }
}

interface PodSpec {
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly terminationGracePeriodSeconds?: number
  readonly containers: readonly Container[]
  readonly volumes?: ReadonlyArray<{ readonly name: string; readonly configMap?: { readonly name: string } }>
}

interface Container {
  readonly name: string
  readonly image: string
  readonly args?: readonly string[]
  readonly ports?: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>
  readonly livenessProbe?: { readonly httpGet: { readonly path: string; readonly port: string } }
  readonly resources: Readonly<Record<'requests' | 'limits', Readonly<Record<string, string>>>>
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly env?: ReadonlyArray<{
    readonly name: string
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } }
  }>
}

/** The text of compose.yaml with the values of .env.example. */
export function composeText(): string {
  const text = readFileSync(join(DEPLOY, 'compose/compose.yaml'), 'utf8')
  const values = envExample()
  return text.replaceAll(/\$\{(\w+)(?::[-?][^}]*)?\}/g, (_, name: string) => {
    const value = values.get(name)
    if (value === undefined) throw new Error(`.env.example has no ${name}`)
    return value
  })
}

export function composeFile(): ComposeFile {
  return parse(composeText(), { merge: true }) as ComposeFile
}

function envExample(): ReadonlyMap<string, string> {
  const lines = readFileSync(join(DEPLOY, 'compose/.env.example'), 'utf8').split('\n')
  return new Map(lines.flatMap((line) => (/^\w+=/.test(line) ? [split(line)] : [])))
}

function split(line: string): [string, string] {
  const end = line.indexOf('=')
  return [line.slice(0, end), line.slice(end + 1)]
}

/** The manifests of one file of deploy/kubernetes. */
export function manifests(file: string): Manifest[] {
  const text = readFileSync(join(DEPLOY, 'kubernetes', file), 'utf8')
  return parseAllDocuments(text, { merge: true }).map((document) => document.toJS() as Manifest)
}

/** All files that `kubectl apply --kustomize` applies. */
export function appliedManifests(): Manifest[] {
  const [kustomization] = manifests('kustomization.yaml') as unknown as Array<{ resources: string[] }>
  return (kustomization?.resources ?? []).flatMap(manifests)
}

/** The pods of Orbweaver, by name. */
export function orbweaverPods(): Array<Manifest & { readonly pod: PodSpec; readonly container: Container }> {
  return appliedManifests().flatMap((manifest) => {
    const pod = manifest.spec?.template?.spec
    const container = pod?.containers[0]
    return pod === undefined || container?.image !== 'orbweaver' ? [] : [{ ...manifest, pod, container }]
  })
}

/** Every command line of `orbweaver` in the files of deploy/, those of README.md included. */
export function deployedCommands(): DeployedCommand[] {
  const services = Object.entries(composeFile().services)
  return [
    ...services.flatMap(([name, { image, command: args }]) =>
      image === 'orbweaver' && args !== undefined ? [{ name: `compose ${name}`, args }] : [],
    ),
    ...orbweaverPods().map(({ metadata, container }) => ({
      ...{ name: `kubernetes ${metadata.name}`, args: container.args ?? [] },
    })),
    ...readmeCommands(),
  ]
}

/** `docker run … orbweaver crawl`, `docker compose run --rm dashboard push`, `kubectl exec … -- orbweaver push`. */
function readmeCommands(): DeployedCommand[] {
  return globSync('**/README.md', { cwd: DEPLOY }).flatMap((file) => {
    const text = readFileSync(join(DEPLOY, file), 'utf8').replaceAll(/\\\n\s*/g, '')
    return text.split('\n').flatMap((line) => {
      const found =
        /^(?:docker run .*? orbweaver|docker compose run --rm \w+|kubectl .* -- orbweaver) (.+)$/.exec(line)
      return found?.[1] === undefined ? [] : [{ name: `${file}: ${line}`, args: found[1].split(/\s+/) }]
    })
  })
}

/** The query by which the workers are scaled. */
export function scalingQuery(): string {
  const text = readFileSync(join(DEPLOY, 'kubernetes/scale-keda.yaml'), 'utf8')
  return parse(text).spec.triggers[0].metadata.query
}
