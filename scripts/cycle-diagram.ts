import { arrow, caption, card, svgImage } from './svg-shapes.ts'

/** The crawl cycle of docs/cycle.md: what each command reads and writes. */
export function cycleDiagram(): string {
  const boxes = {
    seeds: { x: 10, y: 20, width: 120, height: 62 },
    db: { x: 230, y: 20, width: 160, height: 62 },
    list: { x: 520, y: 20, width: 160, height: 62 },
    pages: { x: 520, y: 150, width: 160, height: 62 },
    index: { x: 230, y: 150, width: 160, height: 62 },
  }
  return svgImage(
    { width: 790, height: 232 },
    'The crawl cycle: inject adds seeds to the CrawlDb, generate writes due URLs to a segment, fetch adds pages to it, and updatedb merges results and new links into the CrawlDb; index sends the pages to a search index',
    [
      card(boxes.seeds, 'Seeds', ['URLs, files']),
      card(boxes.db, 'CrawlDb', ['a record per URL']),
      card(boxes.list, 'Segment', ['fetch list: due URLs']),
      card(boxes.pages, 'Segment', ['pages, text, links']),
      card(boxes.index, 'Search index', ['documents']),
      arrow([133, 51], [227, 51]),
      caption(180, 43, 'inject'),
      arrow([393, 51], [517, 51]),
      caption(455, 43, 'generate'),
      arrow([600, 85], [600, 147]),
      caption(610, 120, 'fetch, parse', 'start'),
      arrow([517, 168], [455, 168], [455, 117], [350, 117], [350, 85]),
      caption(403, 110, 'updatedb'),
      arrow([517, 198], [393, 198]),
      caption(455, 215, 'index'),
    ],
  )
}
