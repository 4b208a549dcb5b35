/** A limit that ends a crawl. */
export type SpiderLimit = 'pages' | 'items' | 'time'

/** Why a crawl came to its end. */
export type SpiderEnd = 'finished' | 'interrupted' | SpiderLimit
