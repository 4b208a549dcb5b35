import { z } from 'zod'
import { RENDER_MODES } from '../../domain/fetch/page-renderer.ts'
import {
  booleanValue,
  choiceValue,
  docs,
  integerValue,
  listValue,
  numberValue,
  stringValue,
} from './config-values.ts'

/** The keys of `render`. */
export function renderSection() {
  return {
    mode: choiceValue(RENDER_MODES).default('never').register(docs, {
      description:
        'Which pages are rendered in a browser: none (`never`), pages that look like JavaScript apps (`auto`), or all (`always`).',
    }),
    urls: listValue(
      z
        .strictObject({
          match: stringValue(/./, 'a regular expression'),
          mode: choiceValue(RENDER_MODES),
        })
        .readonly(),
      'entries { match, mode }',
    )
      .default([])
      .register(docs, {
        description:
          'Modes for URLs that match a regular expression, before `mode`; the first that matches decides: `[{ match: "/app/", mode: "always" }]`.',
        displayType: 'list of `{ match, mode }`',
      }),
    resources: listValue(choiceValue(['image', 'font', 'media', 'iframe']), 'kinds of resources')
      .default([])
      .register(docs, {
        description:
          'Kinds of requests that pages may send in addition to scripts, stylesheets and data: `image`, `font`, `media`, `iframe`.',
      }),
    pages: integerValue(1, 64).default(4).register(docs, {
      description: 'Maximum number of pages that are rendered at once.',
    }),
    timeoutSeconds: numberValue(0.1, 600, 'seconds').default(30).register(docs, {
      description: 'Maximum time to render a page, without the time in which its requests wait.',
    }),
    maxWaitSeconds: numberValue(0, 3600, 'seconds').default(120).register(docs, {
      description:
        'Maximum time in which the requests of a page wait for the delays of hosts and for responses.',
    }),
    quietSeconds: numberValue(0, 60, 'seconds').default(0.5).register(docs, {
      description: 'A page is complete when it is loaded and has had no requests for this long.',
    }),
    maxRequests: integerValue(1).default(200).register(docs, {
      description: 'Maximum number of requests of one page; further ones are refused.',
    }),
    browser: choiceValue(['chromium', 'firefox']).default('chromium').register(docs, {
      description:
        'Browser. `chromium` is supported. `firefox` is not tested, and works only with the build of Playwright (`npx playwright-core install firefox`): other builds do not speak its protocol.',
    }),
    executable: stringValue(/./, 'the path of a browser').exactOptional().register(docs, {
      description:
        'Path of the browser. Default: Chromium or Chrome on the PATH, or the one that Playwright installed.',
    }),
    sandbox: booleanValue().exactOptional().register(docs, {
      description: "Whether Chromium's sandbox is used. Default: unless the process runs as root.",
    }),
    pagesPerBrowser: integerValue(1).default(500).register(docs, {
      description:
        'Number of pages after which the browser is replaced by a new one, which bounds its memory.',
    }),
  }
}
