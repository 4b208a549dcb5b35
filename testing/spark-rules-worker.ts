import { runRulesWorker } from '../src/adapters/spark/apply-rules.ts'
import { RULE_SETS, type RuleSetName } from './rule-sets.ts'

/** The rules worker of contract tests: the source of the rules is the name of a rule set. */
await runRulesWorker<string>(async (name) => {
  const rules = RULE_SETS[name as RuleSetName]
  if (rules === undefined) throw new Error(`there is no rule set ${name}`)
  return rules
})
