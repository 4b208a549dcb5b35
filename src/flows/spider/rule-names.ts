/** The handler of pages that have no handler of their own, and only follow rules. */
export const RULES_HANDLER = '$rules'

/** The meta key of pages that the rules apply to. */
export const FOLLOW_KEY = '$follow'
