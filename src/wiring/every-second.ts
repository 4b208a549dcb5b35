/** Calls `tell` every second until the returned function is called. It does not keep the process alive. */
export function everySecond(tell: () => void): () => void {
  const timer = setInterval(tell, 1_000)
  timer.unref()
  return () => clearInterval(timer)
}
