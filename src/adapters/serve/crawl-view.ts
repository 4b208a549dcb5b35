import type { HistoryRange, VisitHistory } from '../../domain/segment/visit-figures.ts'
import type { HostReport, Overview, PagePreview, UrlReport } from './answers.ts'

/** A crawl as the page shows it. */
export interface CrawlView {
  overview(): Promise<Overview>
  history(range: HistoryRange): Promise<VisitHistory>
  /** `undefined`: neither the CrawlDb nor a segment knows of it. */
  host(host: string): Promise<HostReport | undefined>
  url(input: string): Promise<UrlReport>
  /** The newest stored text of a page; `undefined` when there is none. */
  preview(url: string): Promise<PagePreview | undefined>
}
