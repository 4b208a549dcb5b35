import { pageBudgetContract } from '../../../testing/page-budget-contract.ts'
import { LocalPageBudget } from './page-budget.ts'

pageBudgetContract('LocalPageBudget', (limit) => new LocalPageBudget(limit))
