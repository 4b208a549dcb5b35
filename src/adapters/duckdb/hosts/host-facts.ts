import { hostSql } from '../new-urls.ts'
import { parquetRows } from '../segments/segment-source.ts'
import type { Session } from '../session.ts'

/**
 * Sums the fetches in `files` (of `crawl_fetch`) by host into the temporary tables `new_facts` and `new_values`.
 * @param onlyNew whether to leave out fetches that their record knows already, because it was written a second time when it was parsed; needs
 * the temporary table `located`
 */
export async function gatherHostFacts(
  session: Session,
  files: readonly string[],
  onlyNew: boolean,
): Promise<void> {
  const known = onlyNew
    ? 'LEFT JOIN located l ON l.url = f.url LEFT JOIN urls u ON u.rowid = l.row_id WHERE f.is_unreached OR u.last_fetch_time IS DISTINCT FROM f.fetched_at'
    : ''
  await session.run(`
    CREATE TEMP TABLE host_fetches AS
    SELECT f.* FROM (${files.length === 0 ? NO_FETCHES : fetchesOf(files)}) f ${known}`)
  await session.run(`CREATE TEMP TABLE new_facts AS ${FACTS}`)
  await session.run(`
    CREATE TEMP TABLE new_values AS
    SELECT host, field, value, count(*) AS count FROM (
      SELECT host, unnest(['protocol', 'content_type']) AS field, unnest([protocol, content_type]) AS value FROM host_fetches
    ) WHERE value IS NOT NULL GROUP BY ALL`)
  await session.run('DROP TABLE host_fetches')
}

/** The cause of a network failure, as `failureKind` has it: of the request for the page, or for the robots.txt of its host. */
const CAUSE = `
  coalesce(
    nullif(regexp_extract(reason, '^([a-z]+(?:-[a-z]+)*): ', 1), ''),
    nullif(regexp_extract(reason, '\\((?:network-failure): ([\\w-]+)', 1), ''),
    nullif(regexp_extract(reason, '^robots\\.txt could not be fetched \\(([\\w-]+)\\)', 1), ''))`

/** One row per fetch. */
function fetchesOf(files: readonly string[]): string {
  return `
    SELECT url, ${hostSql('url')} AS host, status, protocol_status, http_status, fetched_at, response_ms, bytes, protocol, content_type,
      address, redirect_to, reason, status = 'not_reached' AS is_unreached, ${CAUSE} AS cause, parse_path(filename)[-3] AS segment
    FROM ${parquetRows('crawl_fetch', files)}
    QUALIFY row_number() OVER (PARTITION BY url, fetched_at ORDER BY filename DESC, file_row_number DESC) = 1`
}

const NO_FETCHES = `
  SELECT NULL::VARCHAR AS url, NULL::VARCHAR AS host, NULL::VARCHAR AS status, NULL::VARCHAR AS protocol_status, NULL::INTEGER AS http_status,
    NULL::BIGINT AS fetched_at, NULL::DOUBLE AS response_ms, NULL::BIGINT AS bytes, NULL::VARCHAR AS protocol, NULL::VARCHAR AS content_type,
    NULL::VARCHAR AS address, NULL::VARCHAR AS redirect_to, NULL::VARCHAR AS reason, false AS is_unreached, NULL::VARCHAR AS cause,
    NULL::VARCHAR AS segment
  WHERE false`

/** The failures that a host is responsible for; a proxy is not. */
const CONNECTION_FAILURES = [
  'connect-refused',
  'connect-timeout',
  'connect-failed',
  'tls',
  'reset',
  'headers-timeout',
  'body-timeout',
]
  .map((cause) => `'${cause}'`)
  .join(', ')

/**
 * The facts of each host. `is_request`: a page was requested, and neither robots.txt nor a rule prevented it. `is_failed`: network failures after its last response. Pages that were not reached because of the robots.txt of
 * their host count as one failure per segment.
 */
const FACTS = `
  WITH
    fetches AS (SELECT *, max(fetched_at) FILTER (http_status IS NOT NULL) OVER (PARTITION BY host) AS responded_at FROM host_fetches),
    marked AS (
      SELECT *, coalesce(cause IN (${CONNECTION_FAILURES}), false) AS is_connection_failure,
        coalesce(starts_with(cause, 'dns-'), false) AS is_dns_failure
      FROM fetches
    )
  SELECT host, count(*) FILTER (is_request) AS fetches, count(http_status) AS responses,
    count(DISTINCT CASE WHEN is_dns_failure THEN CASE WHEN is_unreached THEN segment ELSE url END END) AS dns_failures,
    count(DISTINCT CASE WHEN is_connection_failure THEN CASE WHEN is_unreached THEN segment ELSE url END END) AS connection_failures,
    count(*) FILTER (http_status >= 500) AS server_errors,
    count(DISTINCT CASE WHEN is_failed THEN segment END) AS failed_segments,
    min(CASE WHEN is_failed THEN segment END) AS first_failed_segment, max(CASE WHEN is_failed THEN segment END) AS failed_segment,
    arg_max(reason, fetched_at) FILTER (is_dns_failure OR is_connection_failure OR http_status >= 500) AS last_failure,
    count(*) FILTER (protocol_status = 'ROBOTS_DENIED') AS robots_denied,
    max(fetched_at) FILTER (is_unreached AND starts_with(reason, 'robots.txt ')) AS robots_failed_at,
    min(fetched_at) FILTER (is_request) AS first_fetch_at, max(fetched_at) FILTER (is_request) AS last_fetch_at,
    max(responded_at) AS last_response_at, coalesce(sum(response_ms), 0)::DOUBLE AS response_ms_sum,
    min(response_ms) AS min_response_ms, max(response_ms) AS max_response_ms, coalesce(sum(bytes), 0) AS bytes,
    arg_max(address, fetched_at) AS address,
    arg_max(coalesce(redirect_to, url), fetched_at) FILTER (
      status IN ('fetch_success', 'fetch_notmodified', 'fetch_redir_temp', 'fetch_redir_perm') AND regexp_full_match(url, 'https?://[^/?#]+/')
    ) AS home_page
  FROM (SELECT *, NOT is_unreached AND (http_status IS NOT NULL OR is_dns_failure OR is_connection_failure) AS is_request,
    (is_dns_failure OR is_connection_failure) AND fetched_at > coalesce(responded_at, 0) AS is_failed FROM marked)
  GROUP BY host`

/** Adds the gathered facts to the tables, in the transaction of the caller. The hosts have their ids by now. */
export async function addHostFacts(session: Session): Promise<void> {
  await session.run(`
    UPDATE host_facts SET
      fetches = host_facts.fetches + n.fetches, responses = host_facts.responses + n.responses,
      dns_failures = host_facts.dns_failures + n.dns_failures,
      connection_failures = host_facts.connection_failures + n.connection_failures,
      server_errors = host_facts.server_errors + n.server_errors,
      failures_in_a_row = CASE WHEN n.responses > 0 THEN n.failed_segments
        ELSE host_facts.failures_in_a_row + n.failed_segments
          - CASE WHEN n.first_failed_segment = host_facts.failed_segment THEN 1 ELSE 0 END END,
      failed_segment = coalesce(n.failed_segment, host_facts.failed_segment),
      last_failure = coalesce(n.last_failure, host_facts.last_failure),
      robots_denied = host_facts.robots_denied + n.robots_denied,
      robots_failed_at = greatest(host_facts.robots_failed_at, n.robots_failed_at),
      first_fetch_at = least(host_facts.first_fetch_at, n.first_fetch_at),
      last_fetch_at = greatest(host_facts.last_fetch_at, n.last_fetch_at),
      last_response_at = greatest(host_facts.last_response_at, n.last_response_at),
      response_ms_sum = host_facts.response_ms_sum + n.response_ms_sum,
      min_response_ms = least(host_facts.min_response_ms, n.min_response_ms),
      max_response_ms = greatest(host_facts.max_response_ms, n.max_response_ms),
      bytes = host_facts.bytes + n.bytes, address = coalesce(n.address, host_facts.address),
      home_page = coalesce(n.home_page, host_facts.home_page)
    FROM new_facts n JOIN hosts h ON h.host = n.host WHERE host_facts.host_id = h.id`)
  await session.run(`
    INSERT INTO host_facts
    SELECT h.id, n.fetches, n.responses, n.dns_failures, n.connection_failures, n.server_errors, n.failed_segments, n.failed_segment,
      n.last_failure, n.robots_denied, n.robots_failed_at, n.first_fetch_at, n.last_fetch_at, n.last_response_at, n.response_ms_sum,
      n.min_response_ms, n.max_response_ms, n.bytes, n.address, n.home_page, NULL, NULL
    FROM new_facts n JOIN hosts h ON h.host = n.host WHERE h.id NOT IN (SELECT host_id FROM host_facts)`)
  await session.run(`
    UPDATE host_values SET count = host_values.count + n.count
    FROM new_values n JOIN hosts h ON h.host = n.host
    WHERE host_values.host_id = h.id AND host_values.field = n.field AND host_values.value = n.value`)
  await session.run(`
    INSERT INTO host_values
    SELECT h.id, n.field, n.value, n.count FROM new_values n JOIN hosts h ON h.host = n.host
    WHERE NOT EXISTS (FROM host_values v WHERE v.host_id = h.id AND v.field = n.field AND v.value = n.value)`)
}
