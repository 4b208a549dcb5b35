/** Values for a template. */
export interface NewSpider {
  readonly name: string
  /** Start URL: absolute and normalized. */
  readonly url: string
}

/** The comment at the top of a spider. @param flags that it needs on every run */
export function usage(name: string, flags = ''): string {
  return `// To try it:     orbweaver run ${name}.ts${flags} --cache --max-pages 5 --out -
// To run it:     orbweaver run ${name}.ts${flags} --dir ${name}-crawl --out ${name}.jsonl
// Failures:      orbweaver failed ${name}-crawl
`
}

export function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`
}
