import { expect, it } from 'vitest'
import { pageUsagePreferences } from './page-usage-preferences.ts'

it('reads Content-Usage', () => {
  expect(
    pageUsagePreferences([['content-usage', 'train-ai=no, search=Y, other=maybe, train-ai=y;x=1']], []),
  ).toEqual([
    {
      category: 'train-ai',
      preference: 'disallow',
      source: 'content-usage',
      from: 'header',
      text: 'train-ai=no',
    },
    { category: 'search', preference: 'allow', source: 'content-usage', from: 'header', text: 'search=Y' },
    {
      category: 'train-ai',
      preference: 'allow',
      source: 'content-usage',
      from: 'header',
      text: 'train-ai=y;x=1',
    },
  ])
})

it('reads a reservation of text and data mining from header and meta, with its policy', () => {
  const metas = [{ name: 'tdm-reservation', content: '0' }]
  expect(
    pageUsagePreferences(
      [
        ['tdm-reservation', ' 1'],
        ['tdm-policy', 'http://a.test/p'],
      ],
      metas,
    ),
  ).toEqual([
    {
      category: 'tdm',
      preference: 'disallow',
      source: 'tdm-reservation',
      from: 'header',
      text: '1',
      policy: 'http://a.test/p',
    },
    {
      category: 'tdm',
      preference: 'allow',
      source: 'tdm-reservation',
      from: 'meta',
      text: '0',
      policy: 'http://a.test/p',
    },
  ])
})

it('takes silence and nonsense for nothing', () => {
  expect(pageUsagePreferences([], [])).toEqual([])
  expect(
    pageUsagePreferences(
      [
        ['tdm-reservation', 'yes'],
        ['content-usage', '=n,,;'],
      ],
      [],
    ),
  ).toEqual([])
})
