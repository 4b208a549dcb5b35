import { hostname } from 'node:os'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { arrangeArguments } from './arrange-arguments.ts'
import { addServeOption, serveAddress, tokenText } from './serve-flags.ts'

describe('--serve', () => {
  const crawl = addServeOption(new Command('crawl').argument('<dir>').argument('[seeds...]'))

  it.each([
    ['dir --serve http://a.test/ http://b.test/', 'dir http://a.test/ http://b.test/ --serve'],
    ['--serve dir seeds.txt', 'dir seeds.txt --serve'],
    ['dir --serve http://a.test:8080', 'dir http://a.test:8080 --serve'],
    ['dir --serve seeds.txt:8090/x', 'dir seeds.txt:8090/x --serve'],
    ['dir --serve 9000 http://a.test/', 'dir --serve 9000 http://a.test/'],
    ['dir --serve 0.0.0.0:9000 http://a.test/', 'dir --serve 0.0.0.0:9000 http://a.test/'],
    ['dir http://a.test/ --serve', 'dir http://a.test/ --serve'],
  ])('reads %s as %s', (given, arranged) => {
    expect(arrangeArguments(crawl, given.split(' ')).join(' ')).toBe(arranged)
  })

  it.each([
    [true, '127.0.0.1', 8090],
    ['0', '127.0.0.1', 0],
    ['9000', '127.0.0.1', 9000],
    ['localhost:9000', 'localhost', 9000],
    ['0.0.0.0:9000', '0.0.0.0', 9000],
    ['[::1]:9000', '::1', 9000],
  ] as const)('listens for %s on %s, port %d', (value, host, port) => {
    expect(serveAddress(value)).toEqual({ host, port })
  })

  it.each(['65536', '-1', 'http', 'a.test', '::1', '1.5', 'http://a.test:80'])('rejects %s', (value) => {
    expect(() => serveAddress(value)).toThrow(/^--serve is ".*"; give a port from 0 to 65535/)
  })
})

describe('tokenText', () => {
  it.each([
    ['http://0.0.0.0:80/', `http://${hostname()}:80/`],
    ['http://[::]:80/', `http://${hostname()}:80/`],
    ['http://192.0.2.1:80/', 'http://192.0.2.1:80/'],
  ])('names an address that other machines can open for %s', (url, address) => {
    expect(tokenText(url, 'sec+ret')).toContain(` ${address}live#token=sec%2Bret\n`)
  })
})
