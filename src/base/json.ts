/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

/** An object of JSON. Keys with `undefined` are left out when it is written. */
export interface JsonObject {
  readonly [key: string]: Json | undefined
}
