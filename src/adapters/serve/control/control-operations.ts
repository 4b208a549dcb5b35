import type { z } from 'zod'
import {
  actionResult,
  crawlList,
  crawlStatus,
  createdCrawl,
  health,
  injected,
  injectRequest,
  logLines,
  logQuery,
  newCrawl,
  searchQuery,
  searchResults,
  settingsDocument,
  startRequest,
  summary,
} from './control-schemas.ts'

/** One call of the control API: the routes and the OpenAPI document are made of it. */
export interface ControlOperation {
  readonly method: 'get' | 'post' | 'put'
  /** `{name}` is the name of a crawl. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** The status of a response without an error. */
  readonly status: 200 | 201 | 202
  readonly response: z.ZodType
  /** Statuses of expected errors, in addition to those of all calls. */
  readonly errors?: readonly number[]
}

const CRAWL = '/crawls/{name}'

/** All calls, by operation id. None deletes data. */
export const CONTROL_OPERATIONS = {
  getHealth: {
    ...{ method: 'get', path: '/health', status: 200, response: health },
    summary: 'Whether the server responds; needs no token',
  },
  listCrawls: {
    ...{ method: 'get', path: '/crawls', status: 200, response: crawlList },
    summary: 'List the crawls and their states',
  },
  createCrawl: {
    ...{
      method: 'post',
      path: '/crawls',
      status: 201,
      body: newCrawl,
      response: createdCrawl,
      errors: [409],
    },
    summary: 'Create a crawl with seeds and settings',
    description: 'It does not start. Seeds that a filter rejects are counted in the response.',
  },
  getCrawl: {
    ...{ method: 'get', path: CRAWL, status: 200, response: crawlStatus, errors: [404] },
    summary: 'State, last job and progress of a crawl',
  },
  getSummary: {
    ...{ method: 'get', path: `${CRAWL}/summary`, status: 200, response: summary, errors: [404] },
    summary: 'Counts of the CrawlDb by status and host',
  },
  getSettings: {
    ...{ method: 'get', path: `${CRAWL}/settings`, status: 200, response: settingsDocument, errors: [404] },
    summary: 'Settings of a crawl',
  },
  putSettings: {
    ...{ method: 'put', path: `${CRAWL}/settings`, status: 200, body: settingsDocument },
    ...{ response: settingsDocument, errors: [404] },
    summary: 'Replace the settings of a crawl',
    description: 'The next run uses them.',
  },
  injectSeeds: {
    ...{ method: 'post', path: `${CRAWL}/seeds`, status: 200, body: injectRequest, response: injected },
    errors: [404, 409],
    summary: 'Add seeds to a crawl that does not run',
  },
  startCrawl: {
    ...{ method: 'post', path: `${CRAWL}/start`, status: 202, body: startRequest, response: crawlStatus },
    errors: [404, 409, 429],
    summary: 'Start a run in its own process, or resume an interrupted one',
  },
  stopCrawl: {
    ...{ method: 'post', path: `${CRAWL}/stop`, status: 202, response: actionResult, errors: [404, 409] },
    summary: 'Stop a run as Ctrl-C does',
    description: 'Requests in flight are finished and stored. The next start resumes.',
  },
  pauseCrawl: {
    ...{ method: 'post', path: `${CRAWL}/pause`, status: 200, response: actionResult, errors: [404, 409] },
    summary: 'Send no more requests until the run is resumed',
  },
  resumeCrawl: {
    ...{ method: 'post', path: `${CRAWL}/resume`, status: 200, response: actionResult, errors: [404, 409] },
    summary: 'Continue a paused run',
  },
  indexCrawl: {
    ...{
      method: 'post',
      path: `${CRAWL}/index`,
      status: 202,
      response: crawlStatus,
      errors: [404, 409, 429],
    },
    summary: 'Update the search index in its own process',
  },
  searchCrawl: {
    ...{ method: 'get', path: `${CRAWL}/search`, status: 200, query: searchQuery, response: searchResults },
    errors: [404, 429, 504],
    summary: 'Search the index of a crawl',
  },
  getLog: {
    ...{
      method: 'get',
      path: `${CRAWL}/log`,
      status: 200,
      query: logQuery,
      response: logLines,
      errors: [404],
    },
    summary: 'Last lines of the log of the last job',
  },
} as const satisfies Record<string, ControlOperation>

export type OperationId = keyof typeof CONTROL_OPERATIONS
