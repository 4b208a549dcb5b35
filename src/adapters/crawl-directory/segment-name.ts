/** yyyyMMddHHmmss, UTC. */
export function segmentName(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\D/g, '').slice(0, 14)
}
