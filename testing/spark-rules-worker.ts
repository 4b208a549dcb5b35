import { runRulesWorker } from '../src/adapters/spark/apply-rules.ts'
import { RULE_SETS, type RuleSetName } from './rule-sets.ts'

/** The rules worker of contract tests: the source of the rules is the name of a rule set. */
await runRulesWorker<RuleSetName>(async (name) => RULE_SETS[name])
