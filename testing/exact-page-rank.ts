/** A link by the numbers of its nodes. */
export type Edge = readonly [source: number, target: number]

/** PageRank by the definition: dense matrix, repeated multiplication until nothing changes. The sum of the ranks is `nodes`. */
export function exactPageRank(nodes: number, edges: readonly Edge[], damping: number): number[] {
  const degree = Array.from({ length: nodes }, (_, i) => edges.filter(([source]) => source === i).length)
  const passed = (to: number, from: number) => {
    const links = edges.filter(([source, target]) => source === from && target === to).length
    return degree[from] === 0 ? 1 / nodes : links / (degree[from] ?? 1)
  }
  const matrix = Array.from({ length: nodes }, (_, to) =>
    Array.from({ length: nodes }, (_, from) => (1 - damping) / nodes + damping * passed(to, from)),
  )
  let ranks = Array<number>(nodes).fill(1 / nodes)
  for (let i = 0; i < 500; i++)
    ranks = matrix.map((row) => row.reduce((sum, share, from) => sum + share * (ranks[from] ?? 0), 0))
  return ranks.map((rank) => rank * nodes)
}
