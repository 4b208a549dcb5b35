import { expect, it } from 'vitest'
import { RobotsRules } from '../../domain/robots/robots-rules.ts'
import { SiteSitemaps } from './site-sitemaps.ts'

const finder = (sitemaps?: readonly string[]) =>
  new SiteSitemaps({ rules: () => (sitemaps === undefined ? undefined : new RobotsRules([], sitemaps)) })

it('gives out the sitemaps of robots.txt once per origin', () => {
  const sitemaps = finder(['http://a.test/one.xml', '/two.xml'])
  expect(sitemaps.take('http://a.test/x')).toEqual(['http://a.test/one.xml', '/two.xml'])
  expect(sitemaps.take('http://a.test/y')).toEqual([])
  expect(sitemaps.take('https://a.test/y')).toHaveLength(2)
})

it('gives them out again after a page that could not be parsed', () => {
  const sitemaps = finder(['/maps.xml'])
  sitemaps.take('http://a.test/x')
  sitemaps.requeue('http://a.test/x')
  expect(sitemaps.take('http://a.test/y')).toEqual(['/maps.xml'])
})

it.each([undefined, []])('gives out the usual places if robots.txt names none: %j', (named) => {
  expect(finder(named).take('http://a.test:8080/x?y')).toEqual([
    'http://a.test:8080/sitemap.xml',
    'http://a.test:8080/sitemap_index.xml',
    'http://a.test:8080/sitemap.xml.gz',
    'http://a.test:8080/sitemap.txt',
  ])
})
