import type { DeadLetters, FailedRequest, FailureChoice } from '../../domain/frontier/dead-letters.ts'

/** The dead letters of all shards. */
export class ShardedDeadLetters implements DeadLetters {
  readonly #shards: readonly DeadLetters[]

  constructor(shards: readonly DeadLetters[]) {
    this.#shards = shards
  }

  async failed(choice: FailureChoice = {}): Promise<readonly FailedRequest[]> {
    return (await this.#chosen(choice)).map(({ letter }) => letter)
  }

  async retryFailed(choice: FailureChoice = {}): Promise<number> {
    if (choice.limit === undefined) return sum(await this.#each((shard) => shard.retryFailed(choice)))
    const limits = new Map<number, number>()
    for (const { shard } of await this.#chosen(choice)) limits.set(shard, (limits.get(shard) ?? 0) + 1)
    // The oldest of all shards are the oldest of each.
    const retried = [...limits].map(([shard, limit]) =>
      this.#shards[shard]?.retryFailed({ ...choice, limit }),
    )
    return sum((await Promise.all(retried)).map((count = 0) => count))
  }

  async #chosen(choice: FailureChoice): Promise<Array<{ shard: number; letter: FailedRequest }>> {
    const letters = await this.#each((shard) => shard.failed(choice))
    return letters
      .flatMap((some, shard) => some.map((letter) => ({ shard, letter })))
      .sort((a, b) => a.letter.failedAt - b.letter.failedAt)
      .slice(0, choice.limit)
  }

  #each<T>(read: (shard: DeadLetters) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#shards.map(read))
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
