/** Where something was thrown, as far as it is the user's code; `undefined` for what has no stack. */
export function userStack(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || thrown.stack === undefined) return undefined
  const lines = thrown.stack.split('\n')
  const ours = lines.findIndex((line) => OURS.test(line))
  return (ours === -1 ? lines : lines.slice(0, ours)).join('\n')
}

/** The frames that every call of a handler, hook or pipeline has below it. */
const OURS =
  /^\s+at .*(?:[\\/](?:spider|runner)[\\/](?:local-calls|found-items|run-handler|hook-runner|process-item|time-limit|handler-thread)\.[jt]s:|evalmachine\.<anonymous>)/
