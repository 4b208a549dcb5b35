import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  Application,
  Comment,
  Converter,
  type DeclarationReflection,
  type ProjectReflection,
  ReflectionKind,
} from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'
import { configKeys } from '../src/adapters/config/config-keys.ts'
import { API_FOLDER, ROOT } from './site-pages.ts'

/** The modules of the package. `index` is last: it only lists names of the others, so that each name has its page there. */
const DOORS = ['crawl', 'spider', 'config', 'url', 'robots', 'page', 'politeness', 'http', 'index']

const MARKDOWN: PluginOptions = {
  entryFileName: 'index',
  mergeReadme: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  expandObjects: true,
  indexFormat: 'table',
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  propertyMembersFormat: 'table',
  sanitizeComments: true,
  tableColumnSettings: { hideModifiers: true, hideInherited: true, hideOverrides: true },
  pageTitleTemplates: {
    index: 'TypeScript API',
    member: '{name}',
    module: '{name}',
  },
}

/** Writes the API reference as Markdown pages. An undocumented or unexported symbol and a broken link in a comment are errors. */
export async function writeApiReference(): Promise<void> {
  const out = join(ROOT, API_FOLDER)
  rmSync(out, { recursive: true, force: true })
  const app = await Application.bootstrapWithPlugins({
    ...MARKDOWN,
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: DOORS.map((name) => join(ROOT, 'src', `${name}.ts`)),
    tsconfig: join(ROOT, 'tsconfig.build.json'),
    basePath: ROOT,
    name: 'orbweaver',
    readme: join(ROOT, 'site/api-overview.md'),
    out,
    disableSources: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    jsDocCompatibility: {
      exampleTag: true,
      defaultTag: false,
      inheritDocTag: true,
      ignoreUnescapedBraces: true,
    },
    requiredToBeDocumented: ['Variable', 'Function', 'Class', 'Interface', 'TypeAlias', 'Method', 'Accessor'],
    intentionallyNotDocumented: ['orbweaver/spider.StoredItem.__type.toJSON'],
    // Types are derived from these; programs do not need them.
    intentionallyNotExported: [
      'src/adapters/config/config-schema.ts:Settings',
      'src/base/crawl-error.ts:CONFIGURATION_CODES',
      'src/domain/crawldb/crawl-status.ts:StatusRow',
    ],
    validation: { notExported: true, invalidLink: true, rewrittenLink: true, notDocumented: true },
    treatWarningsAsErrors: true,
    treatValidationWarningsAsErrors: true,
    logLevel: 'Warn',
  })
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => describeConfiguration(project))
  const project = await app.convert()
  if (project === undefined) throw new Error('the sources do not compile')
  app.validate(project)
  await app.generateOutputs(project)
  const problems = app.logger.errorCount + app.logger.warningCount
  if (problems > 0) throw new Error(`${problems} problems in the doc comments of the public modules`)
}

/** Gives the sections of a configuration the descriptions that the schema has. */
function describeConfiguration(project: ProjectReflection): void {
  const config = project
    .getReflectionsByKind(ReflectionKind.Interface)
    .find(({ name }) => name === 'OrbweaverConfig') as DeclarationReflection
  const descriptions = new Map(configKeys().map(({ path, description }) => [path, description]))
  for (const key of config.children ?? []) {
    // Links of the schema are relative to docs/.
    const text = descriptions.get(key.name)?.replaceAll(/\]\((?=[\w-]+\.md)/g, '](/')
    if (text !== undefined) key.comment = new Comment([{ kind: 'text', text }])
  }
}
