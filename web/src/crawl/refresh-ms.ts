/** How often figures are asked for again: a crawl may run. */
export const REFRESH_MS = 5_000
