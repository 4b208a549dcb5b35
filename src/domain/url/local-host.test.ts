import { expect, it } from 'vitest'
import { isAddressOrLocalhost, isLocalName } from './local-host.ts'

it.each(['127.0.0.1', '[::1]', '93.184.215.14', 'localhost', 'a.localhost'])(
  'takes %s as it stands',
  (host) => {
    expect(isAddressOrLocalhost(host)).toBe(true)
  },
)

it.each(['localhost.example', 'notlocalhost', 'example.org', 'wiki.corp'])('takes %s for a name', (host) => {
  expect(isAddressOrLocalhost(host)).toBe(false)
})

it.each([
  'localhost',
  'a.localhost',
  'wiki',
  'printer.local',
  'metadata.google.internal',
  'nas.lan',
  'x.home.arpa',
])('calls %s local', (name) => {
  expect(isLocalName(name)).toBe(true)
})

it.each(['example.org', 'internal.example.org', 'mylocal.example', 'lan.example', 'arpa.example'])(
  'does not call %s local',
  (name) => {
    expect(isLocalName(name)).toBe(false)
  },
)
