import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fullKey, parseObjectStoreUrl } from '../../domain/object-store/object-store-url.ts'
import { readS3Credentials } from './s3-credentials.ts'
import { findS3Endpoint } from './s3-endpoint.ts'
import { escapeXml, xmlElements, xmlText } from './s3-xml.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'orbweaver-aws-'))
  mkdirSync(join(home, '.aws'))
})
afterEach(() => rmSync(home, { recursive: true }))

describe('credentials', () => {
  const KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'token' }

  it('come from the environment', async () => {
    expect(await readS3Credentials({ ...KEYS, HOME: home })).toEqual({
      accessKeyId: 'id',
      secretAccessKey: 'secret',
      sessionToken: 'token',
    })
  })

  it('come from a profile that is named, also if the environment has others', async () => {
    writeAws(
      'credentials',
      '[default]\naws_access_key_id=a\naws_secret_access_key=b\n# c\n[ mine ]\r\naws_access_key_id = c \r\naws_secret_access_key = d=/+\r\n',
    )
    const mine = { accessKeyId: 'c', secretAccessKey: 'd=/+', sessionToken: undefined }
    expect(await readS3Credentials({ ...KEYS, HOME: home }, 'mine')).toEqual(mine)
    expect(await readS3Credentials({ ...KEYS, HOME: home, AWS_PROFILE: 'mine' })).toEqual(mine)
    expect(await readS3Credentials({ HOME: home })).toMatchObject({ accessKeyId: 'a' })
    const file = join(home, '.aws', 'credentials')
    expect(await readS3Credentials({ HOME: '/missing', AWS_SHARED_CREDENTIALS_FILE: file }, 'mine')).toEqual(
      mine,
    )
  })

  it('come from the program of a profile', async () => {
    const output = '{"Version":1,"AccessKeyId":"x","SecretAccessKey":"y","SessionToken":"z"}'
    writeAws(
      'config',
      `[profile sso]\ncredential_process = echo '${output}'\n[profile bad]\ncredential_process = echo no-json\n`,
    )
    const env = { HOME: home, PATH: process.env['PATH'] }
    expect(await readS3Credentials(env, 'sso')).toEqual({
      accessKeyId: 'x',
      secretAccessKey: 'y',
      sessionToken: 'z',
    })
    await expect(readS3Credentials(env, 'bad')).rejects.toThrow('run it by hand')
  })

  it('are missed with a message that says where they can be', async () => {
    await expect(readS3Credentials({ HOME: home })).rejects.toMatchObject({
      code: 'OBJECT_STORE_REFUSED',
      reason: 'credentials-missing',
    })
  })
})

describe('endpoint', () => {
  it.each([
    [{}, {}, 'https://crawls.s3.us-east-1.amazonaws.com', 'us-east-1'],
    [{ region: 'eu-west-1' }, {}, 'https://crawls.s3.eu-west-1.amazonaws.com', 'eu-west-1'],
    [{ region: 'cn-north-1' }, {}, 'https://crawls.s3.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    [{ pathStyle: true }, {}, 'https://s3.us-east-1.amazonaws.com/crawls', 'us-east-1'],
    [{}, { AWS_ENDPOINT_URL: 'http://h:1' }, 'http://h:1/crawls', 'us-east-1'],
    [
      {},
      { AWS_ENDPOINT_URL: 'http://h:1', AWS_ENDPOINT_URL_S3: 'http://s:2' },
      'http://s:2/crawls',
      'us-east-1',
    ],
    [{ endpoint: 'https://e/' }, { AWS_ENDPOINT_URL_S3: 'http://s:2' }, 'https://e/crawls', 'us-east-1'],
    [{ endpoint: 'https://e/base/', pathStyle: false }, {}, 'https://crawls.e/base', 'us-east-1'],
    [{}, { AWS_REGION: 'a-1', AWS_DEFAULT_REGION: 'b-1' }, 'https://crawls.s3.a-1.amazonaws.com', 'a-1'],
    [{ profile: 'mine' }, {}, 'https://mine.test/crawls', 'mine-1'],
    [{}, { AWS_PROFILE: 'mine' }, 'https://mine.test/crawls', 'mine-1'],
  ])('of %o and %o is %s', (settings, env, bucketUrl, region) => {
    writeAws(
      'config',
      '[profile mine]\nendpoint_url = https://mine.test\nregion = mine-1\ns3 =\n  region = no\n',
    )
    expect(findS3Endpoint('crawls', settings, { HOME: home, ...env })).toMatchObject({ bucketUrl, region })
  })

  it('names a bucket with dots in the path', () => {
    expect(findS3Endpoint('a.b', {}, { HOME: home }).bucketUrl).toBe('https://s3.us-east-1.amazonaws.com/a.b')
  })

  it.each(['s3.example.org', 'ftp://h', 'https://user:pass@h', 'https://h?x=1'])(
    'refuses %s without repeating a password',
    (endpoint) => {
      const find = () => findS3Endpoint('crawls', {}, { HOME: home, AWS_ENDPOINT_URL: endpoint })
      expect(find).toThrow('must be like https://s3.example.org')
      expect(find).not.toThrow('pass@')
    },
  )
})

describe('addresses', () => {
  it('are a bucket and a prefix', () => {
    expect(parseObjectStoreUrl('s3://bucket')).toEqual({ bucket: 'bucket', prefix: '' })
    expect(parseObjectStoreUrl('S3://bucket//a/b//')).toEqual({ bucket: 'bucket', prefix: 'a/b' })
    expect(fullKey({ bucket: 'b', prefix: '' }, 'x')).toBe('x')
    expect(fullKey({ bucket: 'b', prefix: 'a/b' }, 'x')).toBe('a/b/x')
  })

  it.each(['s3://', 's3://b', 's3:///x', 's3://_x_/y', 's3://bucket/a/../b', 's3://bucket/a\nb', 'http://x'])(
    'are refused: %j',
    (url) => {
      expect(() => parseObjectStoreUrl(url)).toThrow('Example: s3://bucket/prefix')
    },
  )

  it('refuse keys that the URL of a request would change', () => {
    expect(() => fullKey({ bucket: 'b', prefix: 'a' }, '../x')).toThrow(RangeError)
    expect(() => fullKey({ bucket: 'b', prefix: 'a' }, 'x'.repeat(1_030))).toThrow('at most 1024 bytes')
  })
})

it('reads and writes XML', () => {
  const xml = '<L xmlns="x"><C><Key>a&amp;b&#60;&#x1F600;&unknown;</Key></C><C><Key></Key></C></L>'
  expect(xmlElements(xml, 'C')).toHaveLength(2)
  expect(xmlText(xml, 'Key')).toBe('a&b<😀&unknown;')
  expect(xmlText(xml, 'Missing')).toBeUndefined()
  expect(xmlText(`<Key>${escapeXml('<a & "b">')}</Key>`, 'Key')).toBe('<a & "b">')
  expect(xmlText('<Key>&#99999999999;</Key>', 'Key')).toBe('\u{10ffff}')
})

function writeAws(name: string, text: string): void {
  writeFileSync(join(home, '.aws', name), text)
}
