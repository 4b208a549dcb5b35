import { statusCode } from '../../../domain/crawldb/crawl-status.ts'

/** The tables of the HostDb; README.md describes them. An older database gets them when it is next opened for writing. */
export const HOST_TABLES = `
CREATE TABLE IF NOT EXISTS host_facts (
  host_id UINTEGER NOT NULL, fetches UBIGINT NOT NULL, responses UBIGINT NOT NULL, dns_failures UINTEGER NOT NULL,
  connection_failures UINTEGER NOT NULL, server_errors UINTEGER NOT NULL, failures_in_a_row UINTEGER NOT NULL,
  failed_segment VARCHAR, last_failure VARCHAR, robots_denied UBIGINT NOT NULL, robots_failed_at BIGINT,
  first_fetch_at BIGINT, last_fetch_at BIGINT, last_response_at BIGINT, response_ms_sum DOUBLE NOT NULL,
  min_response_ms DOUBLE, max_response_ms DOUBLE, bytes UBIGINT NOT NULL, address VARCHAR, home_page VARCHAR,
  checked_at BIGINT, resolved BOOLEAN
);
CREATE TABLE IF NOT EXISTS host_values (
  host_id UINTEGER NOT NULL, field VARCHAR NOT NULL, value VARCHAR NOT NULL, count UBIGINT NOT NULL
);
CREATE TABLE IF NOT EXISTS host_numbers (
  host_id UINTEGER NOT NULL, field VARCHAR NOT NULL, count UBIGINT NOT NULL, min DOUBLE NOT NULL, max DOUBLE NOT NULL,
  avg DOUBLE NOT NULL, p50 DOUBLE NOT NULL, p75 DOUBLE NOT NULL, p95 DOUBLE NOT NULL, p99 DOUBLE NOT NULL
);
`

const having = (...codes: readonly number[]) => `count(*) FILTER (status IN (${codes.join(', ')}))`

/**
 * The HostDb as people see it: the counts are those of the records at this moment, so that they need not be kept. A public interface,
 * described in docs/hosts-and-links.md.
 */
export const HOST_VIEW = `
CREATE OR REPLACE VIEW hostdb AS
SELECT h.host, h.domain,
  coalesce(c.urls, 0) AS urls, coalesce(c.unfetched, 0) AS unfetched, coalesce(c.fetched, 0) AS fetched,
  coalesce(c.notmodified, 0) AS notmodified, coalesce(c.redir_temp, 0) AS redir_temp, coalesce(c.redir_perm, 0) AS redir_perm,
  coalesce(c.gone, 0) AS gone, coalesce(c.duplicate, 0) AS duplicate, coalesce(c.other, 0) AS other, c.score AS score,
  coalesce(f.fetches, 0) AS fetches, coalesce(f.responses, 0) AS responses, coalesce(f.dns_failures, 0) AS dns_failures,
  coalesce(f.connection_failures, 0) AS connection_failures, coalesce(f.server_errors, 0) AS server_errors,
  coalesce(f.failures_in_a_row, 0) AS failures_in_a_row, f.last_failure,
  CASE WHEN f.robots_failed_at > coalesce(f.last_response_at, 0) THEN 'unreachable'
    WHEN f.robots_denied > 0 AND f.responses = 0 THEN 'disallows all requested'
    WHEN f.robots_denied > 0 THEN 'disallows some' WHEN f.responses > 0 THEN 'allows' END AS robots,
  coalesce(f.robots_denied, 0) AS robots_denied,
  epoch_ms(f.first_fetch_at) AS first_fetch_time, epoch_ms(f.last_fetch_at) AS last_fetch_time,
  epoch_ms(f.last_response_at) AS last_response_time,
  f.response_ms_sum / nullif(f.responses, 0) AS avg_response_ms, f.min_response_ms, f.max_response_ms,
  coalesce(f.bytes, 0) AS bytes, f.address, f.home_page, f.resolved, epoch_ms(f.checked_at) AS checked_time,
  g.score AS link_score, g.inlinks AS host_inlinks, g.outlinks AS host_outlinks,
  epoch_ms(h.not_before) AS not_before, h.wait_reason
FROM hosts h
LEFT JOIN (
  SELECT host_id, count(*) AS urls, ${having(statusCode('db_unfetched'))} AS unfetched, ${having(statusCode('db_fetched'))} AS fetched,
    ${having(statusCode('db_notmodified'))} AS notmodified, ${having(statusCode('db_redir_temp'))} AS redir_temp,
    ${having(statusCode('db_redir_perm'))} AS redir_perm, ${having(statusCode('db_gone'))} AS gone,
    ${having(statusCode('db_duplicate'))} AS duplicate,
    ${having(statusCode('db_orphan'), statusCode('db_parse_failed'))} AS other, avg(score) AS score
  FROM urls GROUP BY host_id
) c ON c.host_id = h.id
LEFT JOIN host_facts f ON f.host_id = h.id
LEFT JOIN webgraph_hosts g ON g.host = h.host`
