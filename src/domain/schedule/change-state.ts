/**
 * What a fetch said about the content since the fetch before.
 * `unknown`: there was nothing to compare with (a first fetch, a redirect, a page that was not parsed).
 */
export type ChangeState = 'modified' | 'not-modified' | 'unknown'
