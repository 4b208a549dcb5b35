import { requireSearchServers } from './require-search-servers.ts'

/** Before `npm run test:servers`. */
export function setup(): void {
  requireSearchServers(['Solr', 'OpenSearch', 'Elasticsearch'])
}
