import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { CRAWL_METRICS } from '../src/adapters/metrics/crawl-metrics.ts'
import { arrangeArguments } from '../src/cli/arrange-arguments.ts'
import { COMMAND_GROUPS } from '../src/cli/commands.ts'
import {
  appliedManifests,
  composeFile,
  composeText,
  DEPLOY,
  deployedCommands,
  manifests,
  orbweaverPods,
  scalingQuery,
} from '../testing/deploy-commands.ts'
import {
  COMPOSE_LOADER,
  HADOLINT,
  KUBERNETES_VALIDATE,
  KUSTOMIZE,
  kedaResource,
  PYTHON,
  requireGoTools,
  requirePythonTools,
} from '../testing/deploy-tools.ts'
import { idleContext } from '../testing/idle-context.ts'
import { PROMTOOL, requirePrometheus } from '../testing/require-prometheus.ts'

/** The files of deploy/docker, deploy/compose and deploy/kubernetes, by their schemas and linters and against the program. */

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-deploy-'))
afterAll(() => rmSync(folder, { recursive: true }))

const KUBERNETES = join(DEPLOY, 'kubernetes')
const hasPythonTools = requirePythonTools()
const hasGoTools = requireGoTools()

interface ToolRun {
  readonly status: number | null
  readonly output: string
}

function tool(program: string, args: readonly string[], input = ''): ToolRun {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8', cwd: folder })
  return { status, output: stdout + stderr }
}

describe('the Dockerfile', () => {
  it.runIf(hasPythonTools)('has no findings of hadolint', () => {
    expect(tool(HADOLINT, [join(DEPLOY, 'docker/Dockerfile')])).toEqual({ status: 0, output: '' })
  })
})

describe('the Compose file', () => {
  it.runIf(hasGoTools)('is accepted by the loader of Docker Compose', () => {
    writeFileSync(join(folder, 'compose.yaml'), composeText())
    const args = ['--no-path-resolution', '--format', 'json', 'compose.yaml']
    const { status, output } = tool(COMPOSE_LOADER, args)
    expect(status, output).toBe(0)
    expect(Object.keys(JSON.parse(output).services).sort()).toEqual([
      ...['dashboard', 'grafana', 'items', 'prometheus', 'redis', 'worker'],
    ])
  })

  it('sets every variable of the environment in .env.example, and uses each', () => {
    const text = readFileSync(join(DEPLOY, 'compose/compose.yaml'), 'utf8')
    const example = readFileSync(join(DEPLOY, 'compose/.env.example'), 'utf8')
    const names = (pattern: RegExp, source: string) =>
      [...new Set([...source.matchAll(pattern)].map(([, name]) => name))].sort()
    expect(names(/^(\w+)=/gm, example)).toEqual(names(/\$\{(\w+)/g, text))
  })

  it('mounts files that exist', () => {
    const mounts = [...composeText().matchAll(/- (\.\.?\/[^:\s]+):/g)].map(([, path]) => path ?? '')
    const missing = mounts.filter((path) => globSync(path, { cwd: join(DEPLOY, 'compose') }).length === 0)
    expect({ mounts: mounts.length, missing }).toEqual({ mounts: 5, missing: [] })
  })

  it('runs Redis with an append-only file and without eviction', () => {
    const { content } = composeFile().configs.redis
    expect(content).toMatch(/^appendonly yes$/m)
    expect(content).toMatch(/^maxmemory-policy noeviction$/m)
  })

  it.runIf(requirePrometheus())('has a configuration of Prometheus that promtool accepts', () => {
    writeFileSync(
      join(folder, 'prometheus.yml'),
      readFileSync(join(DEPLOY, 'compose/prometheus.yml'), 'utf8'),
    )
    writeFileSync(join(folder, 'alerts.yml'), readFileSync(join(DEPLOY, 'prometheus/alerts.yml'), 'utf8'))
    const { status, output } = tool(PROMTOOL, ['check', 'config', 'prometheus.yml'])
    expect(status, output).toBe(0)
  })

  it('scrapes ports on which the program listens, by names that it accepts', () => {
    const { services } = composeFile()
    const scraped = readFileSync(join(DEPLOY, 'compose/prometheus.yml'), 'utf8')
    expect(scraped).toContain(`"${services['dashboard']?.hostname}:8090"`)
    expect(services['dashboard']?.ports).toEqual(['127.0.0.1:8090:8090'])
    expect(services['dashboard']?.command).not.toContain('--port')
    expect(scraped).toMatch(/names: \[worker\][\s\S]*port: 9464/)
    expect(services['worker']?.command).toContain('0.0.0.0:9464')
  })

  it('takes metrics of workers that exist', () => {
    const [, regex = ''] =
      /regex: (.+)/.exec(readFileSync(join(DEPLOY, 'compose/prometheus.yml'), 'utf8')) ?? []
    const kept = CRAWL_METRICS.map(({ name }) => name).filter((name) =>
      new RegExp(`^(?:${regex})$`).test(name),
    )
    expect(kept).toEqual([
      'orbweaver_response_time_seconds',
      'orbweaver_process_cpu_seconds_total',
      'orbweaver_process_resident_memory_bytes',
      'orbweaver_process_heap_used_bytes',
      'orbweaver_event_loop_delay_seconds',
    ])
  })
})

describe('the manifests of Kubernetes', () => {
  const files = globSync('*.yaml', { cwd: KUBERNETES }).filter(
    (file) => !['kustomization.yaml', 'prometheus-adapter.yaml', 'scale-keda.yaml'].includes(file),
  )

  it.runIf(hasPythonTools).each(files)('%s is valid by the schemas of Kubernetes', (file) => {
    const { status, output } = tool(KUBERNETES_VALIDATE, ['--strict', join(KUBERNETES, file)])
    expect(status, output).toBe(0)
    expect(output).not.toContain('WARN')
  })

  it.runIf(hasGoTools && hasPythonTools)('become valid manifests in one namespace by kustomize', () => {
    const { status, stdout, stderr } = spawnSync(KUSTOMIZE, ['build', KUBERNETES], { encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    writeFileSync(join(folder, 'all.yaml'), stdout)
    expect(tool(KUBERNETES_VALIDATE, ['--strict', 'all.yaml']).status).toBe(0)
    expect(stdout.match(/^ {2}namespace: orbweaver$/gm)).toHaveLength(
      stdout.match(/^kind: (?!Namespace)/gm)?.length ?? 0,
    )
    expect(stdout).toContain('image: registry.example.org/orbweaver:')
    expect(stdout).toContain(readFileSync(join(KUBERNETES, 'spider.ts'), 'utf8').split('\n')[0])
  })

  it.runIf(hasPythonTools)('scale with a ScaledObject that is valid by the schema of KEDA', () => {
    const file = kedaResource('keda.sh_scaledobjects.yaml')
    if (file === undefined) return
    const resource = parse(readFileSync(file, 'utf8')) as {
      spec: { versions: Array<{ name: string; schema: { openAPIV3Schema: object } }> }
    }
    const schema = resource.spec.versions.find(({ name }) => name === 'v1alpha1')?.schema.openAPIV3Schema
    const [instance] = manifests('scale-keda.yaml')
    const validate = (one: unknown) => {
      const code = 'import json, jsonschema, sys; jsonschema.validate(**json.load(sys.stdin))'
      const input = JSON.stringify({ schema: withoutUnknownMembers(schema), instance: one })
      return tool(PYTHON, ['-c', code], input)
    }
    expect(validate(instance)).toEqual({ status: 0, output: '' })
    expect(validate({ ...instance, spec: { ...instance?.spec, minReplicas: 1 } }).output).toContain(
      "'minReplicas' was unexpected",
    )
  })

  const pods = orbweaverPods()

  it('have three kinds of pods', () => {
    expect(pods.map(({ metadata }) => metadata.name)).toEqual(['worker', 'items', 'dashboard'])
  })

  it.each(pods)(
    'run $metadata.name without root, with a read-only file system and limited memory',
    ({ pod, container }) => {
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(container.resources.requests['memory']).toMatch(/^\d+Mi$/)
      expect(container.resources.limits['memory']).toMatch(/^\d+[MG]i$/)
    },
  )

  it('probe and announce the ports of the command lines', () => {
    const facts = pods.map(({ metadata: { name }, spec, container: { ports, livenessProbe } }) => ({
      name,
      ports: ports?.map((port) => `${port.name} ${port.containerPort}`),
      probe: livenessProbe?.httpGet.port,
      scraped: spec.template?.metadata.annotations?.['prometheus.io/port'],
    }))
    expect(facts).toEqual([
      { name: 'worker', ports: ['metrics 9464'], probe: 'metrics', scraped: '9464' },
      { name: 'items', ports: undefined, probe: undefined, scraped: undefined },
      { name: 'dashboard', ports: ['http 8090'], probe: 'http', scraped: '8090' },
    ])
    const argsOf = (name: string) => pods.find(({ metadata }) => metadata.name === name)?.container.args
    expect(argsOf('worker')).toContain('0.0.0.0:9464')
    expect(argsOf('dashboard')).not.toContain('--port')
  })

  it('may reach Redis, which has noeviction and an append-only file', () => {
    const all = appliedManifests()
    const redis = all.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'redis')
    const allowed = { 'app.kubernetes.io/part-of': 'orbweaver' }
    expect(all.find(({ kind }) => kind === 'NetworkPolicy')?.spec).toMatchObject({
      podSelector: { matchLabels: redis?.spec.template?.metadata.labels },
      ingress: [{ from: [{ podSelector: { matchLabels: allowed } }] }],
    })
    for (const { spec } of pods) expect(spec.template?.metadata.labels).toMatchObject(allowed)
    const config = all.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'redis')
    expect(config?.data?.['redis.conf']).toMatch(/^appendonly yes$/m)
    expect(config?.data?.['redis.conf']).toMatch(/^maxmemory-policy noeviction$/m)
  })

  it('use keys of the secret that its example has', () => {
    const [secret] = manifests('secret.example.yaml')
    const used = pods
      .flatMap(({ container }) => container.env ?? [])
      .map(({ valueFrom }) => valueFrom?.secretKeyRef)
    expect(new Set(used.map((key) => `${key?.name} ${key?.key}`))).toEqual(
      new Set(Object.keys(secret?.stringData ?? {}).map((key) => `${secret?.metadata.name} ${key}`)),
    )
  })

  it('scale the worker by the same query and the same limits, with KEDA and without', () => {
    const [keda] = manifests('scale-keda.yaml')
    const [hpa] = manifests('scale-hpa.yaml')
    const adapter = parse(readFileSync(join(KUBERNETES, 'prometheus-adapter.yaml'), 'utf8'))
    expect(adapter.rules.external[0].metricsQuery).toBe(scalingQuery())
    expect(hpa?.spec['metrics']).toMatchObject([
      {
        external: { metric: { name: adapter.rules.external[0].name.as }, target: { averageValue: '50000' } },
      },
    ])
    expect(keda?.spec).toMatchObject({
      minReplicaCount: hpa?.spec['minReplicas'],
      maxReplicaCount: hpa?.spec['maxReplicas'],
      triggers: [{ metadata: { threshold: '50000' } }],
    })
    for (const one of [keda, hpa])
      expect(one?.spec['scaleTargetRef']).toMatchObject({ name: pods[0]?.metadata.name })
  })

  it('scale by metrics that exist', () => {
    const used = new Set(scalingQuery().match(/orbweaver_\w+/g))
    expect([...used].sort()).toEqual([
      'orbweaver_fleet_requests',
      'orbweaver_fleet_start_urls',
      'orbweaver_hosts',
    ])
    const names = CRAWL_METRICS.map(({ name }) => name)
    for (const name of used) expect(names).toContain(name)
  })

  it.runIf(requirePrometheus())(
    'scale to a worker per 50,000 requests, but not to more than hosts can occupy',
    () => {
      const cases = [
        { name: 'many hosts', waiting: 100_000, delayed: 20_000, hosts: 10_000, starts: 5, value: 120_005 },
        { name: 'few hosts', waiting: 900_000, delayed: 100_000, hosts: 600, starts: 0, value: 60_000 },
        { name: 'only start URLs', waiting: 0, delayed: 0, hosts: 0, starts: 7, value: 7 },
      ]
      const tests = cases.map(({ name, waiting, delayed, hosts, starts, value }) => ({
        name,
        interval: '1m',
        input_series: [
          { series: 'orbweaver_fleet_requests{crawl="quotes",state="waiting"}', values: `${waiting}` },
          { series: 'orbweaver_fleet_requests{crawl="quotes",state="delayed"}', values: `${delayed}` },
          { series: 'orbweaver_fleet_requests{crawl="other",state="waiting"}', values: '999' },
          { series: 'orbweaver_hosts{crawl="quotes"}', values: `${hosts}` },
          { series: 'orbweaver_fleet_start_urls{crawl="quotes"}', values: `${starts}` },
        ],
        promql_expr_test: [{ expr: scalingQuery(), eval_time: '0m', exp_samples: [{ labels: '{}', value }] }],
      }))
      writeFileSync(join(folder, 'scaling.test.yml'), JSON.stringify({ tests }))
      const { status, output } = tool(PROMTOOL, ['test', 'rules', 'scaling.test.yml'])
      expect(status, output).toBe(0)
    },
  )
})

describe('each command line in deploy/', () => {
  const commands = deployedCommands()

  it('is found', () => {
    const names = commands.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['compose worker', 'compose items', 'compose dashboard', 'kubernetes worker']),
    )
    expect(names.filter((name) => name.startsWith('README.md'))).toHaveLength(8)
  })

  it.each(commands)('$name is accepted by the program', async ({ args: [name, ...args] }) => {
    if (name === '--help') return
    const entry = COMMAND_GROUPS.flatMap((group) => group.commands).find((one) => one.name === name)
    if (entry === undefined) throw new Error(`there is no command ${name}`)
    const make = await entry.load()
    const command = make(idleContext(args))
    let isCalled = false
    command.exitOverride().action(() => {
      isCalled = true
    })
    await command.parseAsync(arrangeArguments(command, args), { from: 'user' })
    expect(isCalled).toBe(true)
  })
})

/** A schema that rejects members that it does not describe: the API server would drop them. */
function withoutUnknownMembers(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutUnknownMembers)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([name, value]) => [name, withoutUnknownMembers(value)])
  const isClosed = 'type' in schema && schema.type === 'object' && 'properties' in schema
  return { ...Object.fromEntries(entries), ...(isClosed && { additionalProperties: false }) }
}
