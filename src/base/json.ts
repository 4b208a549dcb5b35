/** What JSON can hold: data that outlives a process and crosses to another. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json | undefined
}
