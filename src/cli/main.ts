export async function main(args: readonly string[]): Promise<void> {
  process.stdout.write(`${args.join(' ')}\n`)
}
