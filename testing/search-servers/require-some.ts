import { requireSearchServers } from './require-search-servers.ts'

/** Before the tests of the whole program: one server of each protocol. */
export function setup(): void {
  requireSearchServers(['Solr', 'OpenSearch'])
}
