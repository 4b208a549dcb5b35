import { readFileSync } from 'node:fs'

/** The Grafana dashboard of deploy/, as far as tests read it. */
export interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly panels: readonly DashboardPanel[]
  readonly templating: { readonly list: ReadonlyArray<{ readonly name: string; readonly type: string }> }
}

export interface DashboardPanel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly datasource?: { readonly uid: string }
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } }
  readonly targets?: ReadonlyArray<{
    readonly refId: string
    readonly expr: string
    readonly datasource?: { readonly uid: string }
  }>
}

export interface DashboardQuery {
  readonly title: string
  readonly expression: string
}

export function readDashboard(): Dashboard {
  const file = new URL('../deploy/grafana/orbweaver.json', import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as Dashboard
}

/** Every query of the dashboard, with the variables replaced as Grafana does when all crawls are selected. */
export function dashboardQueries(): DashboardQuery[] {
  return readDashboard().panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      title,
      expression: expr
        .replaceAll('$__rate_interval', '1m')
        .replaceAll('$crawl', '.*')
        .replaceAll('$instance', '.*'),
    })),
  )
}
