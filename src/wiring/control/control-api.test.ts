import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { configKeys } from '../../adapters/config/config-keys.ts'
import { API_SETTINGS, apiPart, checkApiSettings, withOperatorPart } from './api-settings.ts'
import { controlApi } from './serve-control.ts'

describe('the OpenAPI document', () => {
  /** After a change of the API, update docs/openapi.json with `npx vitest run --project unit src/wiring/control -u`. */
  it('is docs/openapi.json', async () => {
    const text = `${JSON.stringify(controlApi(), undefined, 2)}\n`
    await expect(text).toMatchFileSnapshot('../../../docs/openapi.json')
  })

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(controlApi()))
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
    expect(validator.version).toBe('3.1')
  })

  it('lists no setting that is code, a file name or a secret', () => {
    const text = JSON.stringify(controlApi())
    for (const key of [
      'credentials',
      'proxy',
      'onFinish',
      'executable',
      'custom',
      'allowPrivateHosts',
      'fast',
    ])
      expect(text).not.toContain(`"${key}"`)
  })
})

describe('settings over the API', () => {
  it('has only settings that exist', () => {
    const keys = new Set(configKeys().map(({ path }) => path))
    const named = Object.entries(API_SETTINGS).flatMap(([section, names]) =>
      names === 'all' ? [section] : names.map((name) => `${section}.${name}`),
    )
    expect(named.filter((path) => !keys.has(path))).toEqual([])
  })

  it('accepts data', () => {
    const settings = { filters: { scope: 'domain', rules: ['-/private/'] }, schedule: 'adaptive' }
    expect(checkApiSettings(settings)).toEqual(settings)
  })

  it.each([
    [{ notify: { onFinish: 'sh -c evil' } }, 'notify cannot be set over the API'],
    [{ http: { allowPrivateHosts: ['10.0.0.1'] } }, 'http.allowPrivateHosts cannot be set over the API'],
    [{ http: { allowPrivateSeeds: true } }, 'http.allowPrivateSeeds cannot be set over the API'],
    [{ http: { credentials: {} } }, 'http.credentials cannot be set over the API'],
    [{ filters: { rules: '/etc/passwd' } }, 'filters.rules is a file name'],
    [{ normalizer: { hosts: '/etc/passwd' } }, 'normalizer.hosts is a file name'],
    [{ filters: { scop: 'host' } }, 'filters.scop: unknown key; did you mean scope?'],
    [{ politeness: { delaySeconds: -1 } }, 'politeness.delaySeconds is -1; expected a number of seconds'],
    [{ schedule: {} }, 'schedule'],
    [JSON.parse('{"__proto__":{"a":1}}'), '__proto__'],
  ])('rejects %j', (settings, message) => {
    expect(() => checkApiSettings(settings)).toThrow(message)
  })

  it('keeps the settings of the operator, and does not show them', () => {
    const file = { http: { cookies: true, credentials: { a: { bearer: 'secret' } } }, log: { file: 'x' } }
    expect(apiPart(file)).toEqual({ http: { cookies: true } })
    expect(withOperatorPart({ http: { cookies: false } }, file)).toEqual({
      ...{ http: { cookies: false, credentials: { a: { bearer: 'secret' } } }, log: { file: 'x' } },
    })
  })
})
