import { createDecoder } from '../../src/domain/content/charset-label.ts'
import { decodeChunks } from '../../src/domain/content/decode-chunks.ts'
import { decodeText } from '../../src/domain/content/decode-text.ts'
import { parseSitemap } from '../../src/domain/content/parse-sitemap.ts'
import { readPage } from '../../src/domain/content/read-page.ts'
import { scanHtml } from '../../src/domain/html/scan-html.ts'
import { parseRobots } from '../../src/domain/robots/parse-robots.ts'
import { normalizeUrl } from '../../src/domain/url/normalize-url.ts'
import { readWithParse5 } from '../html/parse5-oracle.ts'
import { cutVariants, expectEqual, type FuzzTarget, pieces } from './fuzz-target.ts'

/**
 * Where a parser moves or drops content, and the scanner on purpose does not: `html-arbitrary.ts` gives the reasons. The
 * scanner only has to survive these.
 */
const NOT_IMITATED = /<(?:frame|select|table|object|marquee|applet|template|svg|math)/i

const NO_LIMITS = {
  maxLinks: Infinity,
  maxTextChars: Infinity,
  maxTitleChars: Infinity,
  maxAnchorChars: Infinity,
  maxFacts: Infinity,
}

const html: FuzzTarget = {
  name: 'html',
  about: 'the HTML scanner: never throws, and finds the title, links, metas and text that parse5 finds',
  seeds: [
    '<!doctype html><html lang=en><head><title>A &amp; b</title><meta name=robots content=noindex><base href="/x/"><link rel=canonical href=/c></head><body><p>Some <b>text</b> <a href="/a?b=1&amp;c" rel=nofollow>an <img alt=image></a><br><ul><li>1<li>2</ul><pre>\n x\n y</pre></body></html>',
    '<table><tr><td>a<td>b</table><script>var a = "</p>"</script><style>p{}</style><textarea><a href=x></textarea><!-- c --><svg><a href=y>z</a></svg><select><option>o</select><template><a href=t></template>',
    '<frameset><frame src=a></frameset><noframes><a href=b>c</a></noframes>',
  ],
  tokens: pieces(
    '<¦>¦</¦<!--¦-->¦<![CDATA[¦]]>¦<?¦<a href=¦</a>¦<p>¦<title>¦</title>¦<script>¦</script>',
    '<style>¦<table>¦<td>¦<svg>¦<math>¦<template>¦<select>¦<iframe src=x>¦<noscript>¦<plaintext>',
    '<pre>\n¦<base href=x>¦<meta name=a content=b>¦&amp;¦&#0;¦&notit;¦"¦\'¦=¦/¦ ¦\n¦\r\n¦\0',
    '\ufeff¦<br/>¦<object>¦<li>¦<form>¦<input>¦<html lang=x>¦<body>¦<frameset>',
  ),
  check(input) {
    const text = input.toString('utf8')
    const scan = scanHtml(text, NO_LIMITS)
    if (NOT_IMITATED.test(text)) return
    const { links, text: words, ...facts } = readWithParse5(text)
    for (const [name, fact] of Object.entries(facts)) {
      if (fact !== undefined) expectEqual(scan[name as keyof typeof scan], fact, name)
    }
    expectEqual(
      scan.links.map(({ href }) => href),
      links.map(({ href }) => href),
      'links',
    )
    expectEqual(withoutSpace(scan.text), withoutSpace(words), 'text')
  },
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}

const page: FuzzTarget = {
  name: 'page',
  about: 'readPage, whatever the body is: never throws, and its links are normal URLs',
  seeds: [
    '<html><a href="/1">x</a><meta name="robots" content="noindex, max-snippet: 5">',
    '<?xml version="1.0"?><rss><channel><title>t</title><item><link>http://a.test/1</link><pubDate>15 Nov 2026 18:00:00 GMT</pubDate></item></channel></rss>',
    '{"version":"https://jsonfeed.org/version/1.1","title":"x","items":[{"url":"http://a.test/1","date_published":"2026-11-15T18:00:00Z"}]}',
    'plain text with http://a.test/1 in it',
    '%PDF-1.7',
    '\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03',
  ],
  tokens: pieces(
    '<feed>¦<entry>¦<link href="x"/>¦<item>¦<guid>¦<urlset>¦<url><loc>¦{"items":[¦"url":¦http://',
    '\u2028¦<meta http-equiv=refresh content="0;url=x">¦unavailable_after: ¦max-snippet:-1',
    '<![CDATA[¦\x1f\x8b\x08¦\xff\xfe¦\xef\xbb\xbf',
  ),
  check(input) {
    for (const type of ['text/html', 'application/xml', 'text/plain', 'application/json', '']) {
      const headers: [string, string][] = type === '' ? [] : [['content-type', type]]
      headers.push(['x-robots-tag', input.toString('latin1', 0, 200)])
      const reading = readPage(
        { url: 'http://a.test/dir/page', headers, bytes: input },
        { agent: 'orbweaver', normalize: normalizeUrl },
      )
      for (const { url } of reading.links) expectEqual(normalizeUrl(url), { ok: true, url }, 'normal form')
    }
  },
}

const robots: FuzzTarget = {
  name: 'robots',
  about: 'the robots.txt parser: never throws, and reads LF, CR and CR LF as the same',
  seeds: [
    'User-agent: *\nDisallow: /a\nAllow: /a/b$\nCrawl-delay: 2\n\nUser-agent: foo\nUser-agent: bar\nDisallow: /*.php$\nSitemap: http://a.test/s.xml\n# comment\nContent-Usage: ai=n\n',
    '\ufeffuser-agent:*\rdisallow:/%7Ex\r\nDisallow: /%e3%81%82*',
  ],
  tokens: pieces(
    'User-agent: ¦Disallow: ¦Allow: ¦Sitemap: ¦Crawl-delay: ¦Content-Usage: ¦\n¦\r\n¦\r¦*¦$¦%2F',
    '%¦#¦:¦ ¦\t¦\0¦/¦\xef\xbb\xbf¦orbweaver¦**¦Request-rate: 1/5',
  ),
  check(input) {
    const path = `/${input.toString('latin1', 0, 40)}`
    const ours = rulesOf(input, path)
    const lines = input.toString('latin1').replace(/\r\n?/g, '\n')
    expectEqual(rulesOf(Buffer.from(lines.replaceAll('\n', '\r\n'), 'latin1'), path), ours, 'CR LF')
    expectEqual(rulesOf(Buffer.from(lines.replaceAll('\n', '\r'), 'latin1'), path), ours, 'CR')
  },
}

function rulesOf(input: Buffer, path: string): unknown {
  const file = parseRobots(input)
  return ['orbweaver', '*'].map((agent) => {
    const rules = file.rulesFor(agent)
    const verdicts = ['/', '/a/b', '/a.php?x=%7E', path].map((one) => {
      const url = normalizeUrl(one, 'http://a.test/')
      return url.ok ? rules.judge(url.url) : undefined
    })
    return [verdicts, rules.sitemaps, rules.contentUsage('http://a.test/a')]
  })
}

const sitemap: FuzzTarget = {
  name: 'sitemap',
  about: 'the sitemap parser: never throws, reads the same however the bytes are cut, gives normal URLs',
  seeds: [
    '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="x"><url><loc>http://a.test/1?a=1&amp;b</loc><lastmod>2026-11-15T18:00:00.5Z</lastmod><priority>0.5</priority><changefreq>daily</changefreq><xhtml:link hreflang="de" href="/d>e"/></url></urlset>',
    '<sitemapindex><sitemap><loc><![CDATA[http://a.test/2.xml]]></loc></sitemap><sitemap>http://a.test/3.xml</sitemap></sitemapindex>',
    'http://a.test/1\nhttp://a.test/2\r\n',
    '<feed><entry><link href="/1"/><updated>2026-11-15</updated></entry></feed>',
  ],
  tokens: pieces(
    '<url>¦</url>¦<loc>¦</loc>¦<sitemap>¦<![CDATA[¦]]>¦<!--¦-->¦<?xml ?>¦<!DOCTYPE x [¦]>¦&amp;',
    '&#x41;¦&#0;¦<¦>¦/¦"¦ ¦<lastmod>¦http://a.test/¦\n¦\0¦<image:loc>¦<rss>¦<item>¦<link>',
  ),
  check(input) {
    // A body in pieces must not be gzipped.
    if (input[0] === 0x1f) return
    const options = { url: 'http://a.test/maps/sitemap.xml', normalize: normalizeUrl }
    // The first kilobyte is decoded in one piece.
    const body = Buffer.concat([Buffer.alloc(1_024, ' '), input])
    const whole = parseSitemap(body, options)
    for (const { url } of [...whole.pages, ...whole.sitemaps])
      expectEqual(normalizeUrl(url), { ok: true, url }, 'normal form')
    for (const chunks of cutVariants(body)) expectEqual(parseSitemap(chunks, options), whole, 'cut')
  },
}

const charset: FuzzTarget = {
  name: 'charset',
  about: 'charset prescan, guess and decoders: never throw, and decode the same however the bytes are cut',
  seeds: [
    '<html><head><meta charset="windows-1250"><title>x</title>\xe8\xe9',
    '<META http-equiv=Content-Type content="text/html; charset=euc-kr">\xb0\xa1\x8c\x63',
    '<?xml version="1.0" encoding="Shift_JIS"?>\x83\x65\x80',
    '\xef\xbb\xbfabc',
    '\x1b$B$3$s\x1b(B',
    '\xcf\xe5\xf0\xe5\xe2\xee\xe4 \xf1\xf2\xf0\xe0\xed\xe8\xf6\xfb',
  ],
  tokens: pieces(
    '<meta ¦charset=¦content="text/html; charset=¦http-equiv="content-type"¦<!--¦-->¦</head>',
    '<body>¦<script>¦</script>¦"¦\'¦>¦/¦utf-8¦utf-16¦gb18030¦big5¦iso-2022-jp¦x-user-defined',
    'euc-jp¦koi8-r¦<?xml encoding="¦\xff\xfe¦\xfe\xff¦\x81\x30\x81\x30¦\x8f\xa1\xa1¦\x1b(J',
    '\x1b$@¦\0',
  ),
  check(input) {
    for (const syntax of ['html', 'xml', 'text'] as const) {
      const decoded = decodeText(input, { syntax })
      expectEqual(createDecoder(decoded.charset).encoding, decoded.charset, 'charset')
      // The first bytes decide about a body in pieces.
      if (input.length > (syntax === 'html' ? 8_192 : 1_024)) continue
      for (const chunks of cutVariants(input))
        expectEqual([...decodeChunks(chunks, { syntax })].join(''), decoded.text, 'cut')
    }
  },
}

export const PAGE_TARGETS: readonly FuzzTarget[] = [html, page, robots, sitemap, charset]
