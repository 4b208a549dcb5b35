import { expect, it } from 'vitest'
import { isGloballyRoutable, isLocalNetwork } from './globally-routable.ts'

it.each([
  ['1.1.1.1'],
  ['9.255.255.255'],
  ['11.0.0.0'],
  ['100.63.255.255'],
  ['100.128.0.0'],
  ['126.255.255.255'],
  ['128.0.0.1'],
  ['169.253.255.255'],
  ['168.63.129.15'],
  ['168.63.129.17'],
  ['172.15.255.255'],
  ['172.32.0.0'],
  ['192.0.1.0'],
  ['192.167.255.255'],
  ['198.17.255.255'],
  ['198.20.0.0'],
  ['223.255.255.255'],
  ['2606:4700:4700::1111'],
  ['2a00:1450:4001:80b::200e'],
  ['2001:200::1'],
  ['3ffe::1'],
])('lets %s through', (address) => {
  expect(isGloballyRoutable(address)).toBe(true)
})

it.each([
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'this network'],
  ['10.0.0.1', 'private'],
  ['10.255.255.255', 'private'],
  ['100.64.0.1', 'carrier-grade NAT'],
  ['100.127.255.255', 'carrier-grade NAT'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['169.254.169.254', 'cloud metadata'],
  ['168.63.129.16', 'Azure platform services'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.8', 'protocol assignments'],
  ['192.0.2.1', 'documentation'],
  ['192.88.99.1', '6to4 relay'],
  ['192.168.1.1', 'private'],
  ['198.18.0.1', 'benchmarking'],
  ['198.19.255.255', 'benchmarking'],
  ['198.51.100.7', 'documentation'],
  ['203.0.113.7', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['::ffff:127.0.0.1', 'mapped'],
  ['::ffff:7f00:1', 'mapped'],
  ['::ffff:8.8.8.8', 'mapped, even of a public address: no DNS response has a reason to say so'],
  ['::127.0.0.1', 'compatible'],
  ['::ffff:0:127.0.0.1', 'translated'],
  ['64:ff9b::7f00:1', 'NAT64'],
  ['64:ff9b:1::7f00:1', 'local NAT64'],
  ['64:ff9b::808:808', 'NAT64, even of a public address'],
  ['100::1', 'discard'],
  ['100:0:0:1::1', 'dummy prefix'],
  ['2001::1', 'Teredo'],
  ['2001:10::1', 'ORCHID'],
  ['2001:20::1', 'ORCHIDv2'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', '6to4'],
  ['3fff::1', 'documentation'],
  ['4000::1', 'not assigned'],
  ['5f00::1', 'segment routing'],
  ['fc00::1', 'unique local'],
  ['fd12:3456::1', 'unique local'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local with a zone'],
  ['2606:4700::1%eth0', 'a zone'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
  ['', 'nothing'],
  ['example.com', 'a name'],
  ['127.1', 'not in full'],
  ['8.8.8.8.', 'not an address'],
])('keeps %s out: %s', (address) => {
  expect(isGloballyRoutable(address)).toBe(false)
})

it.each(['10.0.0.1', '100.64.0.1', '127.0.0.1', '172.16.0.1', '192.168.1.1', '::1', 'fd12::1'])(
  'counts %s to a local network',
  (address) => {
    expect(isLocalNetwork(address)).toBe(true)
  },
)

it.each([
  ...[
    '169.254.169.254',
    '168.63.129.16',
    '100.100.100.200',
    '0.0.0.0',
    '192.0.0.192',
    '224.0.0.1',
    '8.8.8.8',
  ],
  ...['fe80::1', 'fd00:ec2::254', 'fd20:ce::254', '::ffff:10.0.0.1', '64:ff9b::a00:1', 'fd12::1%eth0', '::'],
])('does not count %s to a local network', (address) => {
  expect(isLocalNetwork(address)).toBe(false)
})
