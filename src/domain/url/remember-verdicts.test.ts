import { expect, it } from 'vitest'
import { rememberVerdicts } from './remember-verdicts.ts'

it('asks the filter once for each URL, and again after many others', () => {
  const asked: string[] = []
  const judge = rememberVerdicts({
    name: 'sevens',
    judge({ url }) {
      asked.push(url)
      return { accepted: !url.endsWith('7'), rule: 'no sevens' }
    },
  })
  const urls = Array.from({ length: 25_000 }, (_, i) => `http://a.test/${i}`)
  for (const url of [...urls, ...urls.slice(-100), 'http://a.test/7'])
    expect(judge(url).accepted).toBe(!url.endsWith('7'))
  expect(asked).toEqual([...urls, 'http://a.test/7'])
})
