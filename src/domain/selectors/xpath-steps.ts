/** Maximum number of nodes that one XPath expression may read: one or two seconds. Real pages need thousands. */
export const MAX_XPATH_STEPS = 10_000_000

export class OutOfXPathSteps extends Error {}

/** Left for the expression that is being evaluated. Evaluation never waits, so one counter serves all. */
export const xpathSteps = { left: MAX_XPATH_STEPS }

/**
 * Called for each node that the evaluator reads or compares. `//a//a//a` on a deep page reads each node once for each path to it.
 * @throws OutOfXPathSteps
 */
export function countXPathStep(steps = 1): void {
  xpathSteps.left -= steps
  if (xpathSteps.left < 0) throw new OutOfXPathSteps()
}
