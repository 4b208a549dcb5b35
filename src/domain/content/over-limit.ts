/** The reason in `rejectedLinks` of links over the limit of a reader: they were counted, not resolved. */
export const OVER_LIMIT = 'over-limit'
