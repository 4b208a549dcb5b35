import { z } from 'zod'
import type { UrlRewrite } from '../../domain/url/url-rewrite.ts'
import { booleanValue, choiceValue, docs, integerValue, listValue, stringValue } from './config-values.ts'

/** The keys of `normalizer`. */
export function normalizerSection() {
  return {
    trailingSlash: choiceValue(['keep', 'add', 'remove'])
      .default('keep')
      .register(docs, { description: 'Keep, add or remove the `/` at the end of a path.' }),
    removeDefaultPage: booleanValue()
      .default(false)
      .register(docs, { description: 'Shorten `/a/index.html` to `/a/`.' }),
    sortQuery: booleanValue().default(false).register(docs, { description: 'Sort query parameters.' }),
    removeTrackingParameters: booleanValue()
      .default(false)
      .register(docs, { description: 'Remove tracking parameters such as `utm_source` and `gclid`.' }),
    removeSessionIds: booleanValue()
      .default(true)
      .register(docs, { description: 'Remove session ids such as `;jsessionid=…` and `sid=…`.' }),
    maxLength: integerValue(1, 65_536, 'characters')
      .default(8192)
      .register(docs, { description: 'Maximum URL length, in characters; longer URLs are invalid.' }),
    patterns: z
      .union([fileName(), listValue(replacement(), 'objects with pattern and replacement')], {
        error: 'expected a file name, or a list of { pattern, replacement }',
      })
      .default([])
      .register(docs, {
        description:
          'Regular expressions whose matches are replaced, in order; `$1` stands for a group. Or the name of a `regex-normalize.xml` of Nutch.',
        displayType: 'list of `{ pattern, replacement }`, or file name',
      }),
    hosts: byHost(stringValue(/^[^\s/:@?#*]+$/, 'a host name'), 'the host to use instead').register(docs, {
      description:
        'Hosts to replace: `{ "*.example.com": "example.com" }`. `*.` stands for all subdomains. Or a file with lines of a host and its replacement.',
      displayType: 'host names by host name, or file name',
    }),
    protocols: byHost(choiceValue(['http', 'https']), 'http or https').register(docs, {
      description:
        'Scheme of the URLs of a host, unless they have a port: `{ "example.com": "https" }`. `*.example.com` stands for the domain and its subdomains. Or a file with lines of a host and its scheme.',
      displayType: "`'http'` or `'https'` by host name, or file name",
    }),
    slashes: byHost(choiceValue(['add', 'remove']), 'add or remove').register(docs, {
      description:
        'Whether to add or remove the `/` at the end of paths, by host. Paths that end like a file name get none. Or a file with lines of a host and `+` or `-`.',
      displayType: "`'add'` or `'remove'` by host name, or file name",
    }),
    custom: listValue(
      z.custom<UrlRewrite>((value) => typeof value === 'function', { error: 'expected a function' }),
      'functions',
    )
      .default([])
      .register(docs, {
        description:
          'Your own rules; they run after all others. Each gets a URL and returns the URL to use instead, the same URL, or `undefined` to reject it.',
        displayType: 'list of functions',
      }),
  }
}

function fileName() {
  return stringValue(/./, 'a file name')
}

function replacement() {
  return z.strictObject({
    pattern: stringValue(/./, 'a regular expression'),
    replacement: stringValue(/^/, 'a text'),
  })
}

function byHost<Value extends z.ZodType>(value: Value, expected: string) {
  return z
    .union([fileName(), z.record(stringValue(/./, 'a host name'), value).readonly()], {
      error: `expected a file name, or host names with ${expected}`,
    })
    .default({} as never)
}
