/** The section of a release in CHANGELOG.md. */
export interface ReleaseSection {
  /** `2026-11-17`. */
  readonly date: string
  /** Without its heading. */
  readonly text: string
}

/** `undefined`: the changelog has no such release. */
export function releaseSection(changelog: string, version: string): ReleaseSection | undefined {
  const sections = changelog.split(/^## /m).slice(1)
  for (const section of sections) {
    const [heading = '', ...lines] = section.split('\n')
    const [, name, date] = /^(\S+) - (\d{4}-\d\d-\d\d)$/.exec(heading) ?? []
    if (name === version && date !== undefined) return { date, text: `${lines.join('\n').trim()}\n` }
  }
  return undefined
}
