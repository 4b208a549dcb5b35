import { expect, it } from 'vitest'
import { rememberVerdicts } from './remember-verdicts.ts'

it('calls the filter once for each URL, and again after many others', () => {
  const judged: string[] = []
  const judge = rememberVerdicts({
    name: 'sevens',
    judge({ url }) {
      judged.push(url)
      return { accepted: !url.endsWith('7'), rule: 'no sevens' }
    },
  })
  const urls = Array.from({ length: 25_000 }, (_, i) => `http://a.test/${i}`)
  for (const url of [...urls, ...urls.slice(-100), 'http://a.test/7'])
    expect(judge(url).accepted).toBe(!url.endsWith('7'))
  expect(judged).toEqual([...urls, 'http://a.test/7'])
})
