import { describe, expect, it } from 'vitest'
import { checkFileFields, sortOutputs } from './files-of-items.ts'
import { DownloadOutput, ItemOutput, RequestOutput } from './output.ts'

const PAGE = 'http://a.test/'
const one = new ItemOutput({ n: 1 })
const two = new ItemOutput({ n: 2 })
const link = new RequestOutput('/b')

function file(href: string, options?: ConstructorParameters<typeof DownloadOutput>[2]): DownloadOutput {
  return new DownloadOutput(href, PAGE, options)
}

describe('sortOutputs', () => {
  it('gives files to the only item, before or after it', () => {
    const { requests, items } = sortOutputs(
      [file('x', { as: 'x' }), one, link, file('y', { as: 'y' })],
      true,
      PAGE,
    )
    expect(requests).toEqual([link])
    expect(items).toMatchObject([
      {
        item: { n: 1 },
        files: [
          { href: 'x', as: 'x' },
          { href: 'y', as: 'y' },
        ],
      },
    ])
  })

  it('gives files to the item that they name, by its output or by the object itself', () => {
    const { items } = sortOutputs(
      [one, two, file('x', { item: two }), file('y', { item: one.item })],
      true,
      PAGE,
    )
    expect(items.map(({ files }) => files.map(({ href }) => href))).toEqual([['y'], ['x']])
  })

  it('makes lists of files with the same name', () => {
    const { items } = sortOutputs([one, file('x', { as: 'a[]' }), file('y', { as: 'a[]' })], true, PAGE)
    expect(items[0]?.files).toMatchObject([
      { as: 'a', isList: true },
      { as: 'a', isList: true },
    ])
  })

  it('makes an item of the page if there is none and no schema', () => {
    expect(sortOutputs([file('x')], false, PAGE).items).toMatchObject([
      { item: { url: PAGE }, files: [{ as: 'files', isList: true }] },
    ])
  })

  it.each([
    ['no item', [file('x')], 'has no item'],
    ['several items', [one, two, file('x')], 'must name its own'],
    ['an item that is not yielded', [one, file('x', { item: two })], 'does not yield'],
    ['an item that is yielded twice', [one, one, file('x', { item: one })], 'does not yield'],
    ['a field and a list', [one, file('x', { as: 'a' }), file('y', { as: 'a[]' })], "write as: 'a[]'"],
    ['no name', [one, file('x', { as: '[]' })], 'name of a field'],
  ])('rejects %s', (_, outputs, message) => {
    expect(() => sortOutputs(outputs, true, PAGE)).toThrow(message)
  })
})

it('rejects a field that the item has, unless it is empty', () => {
  const files = [{ href: 'x', base: PAGE, as: 'cover', isList: false }]
  expect(() => checkFileFields({ cover: 'x' }, files)).toThrow('has a field "cover" already')
  expect(() => checkFileFields({ cover: null }, files)).not.toThrow()
})
