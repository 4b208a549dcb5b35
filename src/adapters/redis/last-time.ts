/** The last time a `Date` can hold (ms since the epoch). It stands for "never", and Lua scripts keep it exactly. */
export const LAST_TIME = 8.64e15
