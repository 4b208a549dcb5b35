import { describe, expect, it } from 'vitest'
import { parseMetaRefresh } from './meta-refresh.ts'

describe('parseMetaRefresh', () => {
  it.each([
    ['5', { seconds: 5, url: undefined }],
    ['0;url=/x', { seconds: 0, url: '/x' }],
    [' 3 ; URL = "/a b" trailing', { seconds: 3, url: '/a b' }],
    ["1,url='/open", { seconds: 1, url: '/open' }],
    ['2 http://a.test/', { seconds: 2, url: 'http://a.test/' }],
    ['2;/direct', { seconds: 2, url: '/direct' }],
    ['0;urls.html', { seconds: 0, url: 'urls.html' }],
    ['1.9;url=/x', { seconds: 1, url: '/x' }],
    ['.5', { seconds: 0, url: undefined }],
    ['0;', { seconds: 0, url: undefined }],
    ['0; url=', { seconds: 0, url: undefined }],
    ['', undefined],
    ['url=/x', undefined],
    ['-1;url=/x', undefined],
    ['5x;url=/x', undefined],
  ])('reads %j as browsers do', (content, expected) => {
    expect(parseMetaRefresh(content)).toEqual(expected)
  })
})
