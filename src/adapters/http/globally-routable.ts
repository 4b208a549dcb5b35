import { BlockList, isIP } from 'node:net'

/**
 * Whether an IP address belongs to the public Internet. What is not an address at all is not.
 *
 * IPv4: everything but the special-purpose blocks. IPv6: nothing but global unicast (2000::/3), less its special-purpose blocks.
 * So loopback, link-local, site-local, unique-local, multicast, and every way to wrap an IPv4 address (mapped, compatible,
 * translated, NAT64, 6to4, Teredo) fall outside by rule, also the blocks that are not assigned yet.
 * @example
 * isGloballyRoutable('192.168.1.1') // → false
 * isGloballyRoutable('93.184.216.34') // → true
 */
export function isGloballyRoutable(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !SPECIAL_IPV4.check(address, 'ipv4')
  // A zone id (`fe80::1%eth0`) names an interface of this machine.
  if (family !== 6 || address.includes('%')) return false
  return GLOBAL_UNICAST_IPV6.check(address, 'ipv6') && !SPECIAL_IPV6.check(address, 'ipv6')
}

/**
 * Whether an IP address belongs to a local network: loopback, private and shared addresses. Link-local ones do not count, nor those of cloud
 * metadata services, which hand out credentials: no name needs them.
 */
export function isLocalNetwork(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return LOCAL_IPV4.check(address, 'ipv4') && !METADATA_IPV4.check(address, 'ipv4')
  if (family !== 6 || address.includes('%')) return false
  return LOCAL_IPV6.check(address, 'ipv6') && !METADATA_IPV6.check(address, 'ipv6')
}

/** Of the IANA IPv4 special-purpose registry what is not globally reachable; multicast; and what clouds use for themselves. */
const SPECIAL_IPV4 = blocks('ipv4', [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's platform services, inside public space
  ['169.254.0.0', 16], // link-local, cloud metadata services
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays, withdrawn
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 3], // multicast, reserved, broadcast
])

const LOCAL_IPV4 = blocks('ipv4', [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
])
const METADATA_IPV4 = blocks('ipv4', [['100.100.100.200', 32]]) // Alibaba Cloud

const LOCAL_IPV6 = blocks('ipv6', [
  ['::1', 128],
  ['fc00::', 7],
])
const METADATA_IPV6 = blocks('ipv6', [
  ['fd00:ec2::', 32], // AWS
  ['fd20:ce::', 32], // Google Cloud
])

const GLOBAL_UNICAST_IPV6 = blocks('ipv6', [['2000::', 3]])

/** The entries of the IANA IPv6 special-purpose registry inside global unicast. */
const SPECIAL_IPV6 = blocks('ipv6', [
  ['2001::', 23], // protocol assignments: Teredo, ORCHID, benchmarking
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: wraps an IPv4 address
  ['3fff::', 20], // documentation
])

function blocks(
  family: 'ipv4' | 'ipv6',
  subnets: ReadonlyArray<readonly [net: string, prefix: number]>,
): BlockList {
  const list = new BlockList()
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, family)
  return list
}
