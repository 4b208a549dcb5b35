/** The tables of the web graph; README.md describes them. An older database gets them when it is next opened for writing. */
export const GRAPH_TABLES = `
CREATE TABLE IF NOT EXISTS webgraph_parts (segment VARCHAR NOT NULL, part VARCHAR NOT NULL);
CREATE TABLE IF NOT EXISTS webgraph_pages (fp UBIGINT NOT NULL, segment VARCHAR NOT NULL);
CREATE TABLE IF NOT EXISTS webgraph_links (from_fp UBIGINT NOT NULL, to_fp UBIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS webgraph_nodes (
  fp UBIGINT NOT NULL, url VARCHAR NOT NULL, inlinks UINTEGER NOT NULL, outlinks UINTEGER NOT NULL, score FLOAT
);
CREATE TABLE IF NOT EXISTS webgraph_hosts (
  host VARCHAR NOT NULL, inlinks UINTEGER NOT NULL, outlinks UINTEGER NOT NULL, score FLOAT NOT NULL
);
`

/** The key in `meta` of the options that the graph was built with. */
export const GRAPH_OPTIONS_KEY = 'webgraph_options'
