/** A limit that ends a crawl. */
export type SpiderLimit = 'pages' | 'items' | 'time'

/** Why a crawl came to its end. `drained`: an operator asked all processes that work on it to end. */
export type SpiderEnd = 'finished' | 'interrupted' | 'drained' | SpiderLimit
