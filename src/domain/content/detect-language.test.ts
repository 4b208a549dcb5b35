import { expect, it } from 'vitest'
import { readTestDocument } from '../../../testing/read-test-document.ts'
import { createLanguageDetector } from './detect-language.ts'

const TEXTS: ReadonlyArray<readonly [string, string]> = [
  ['en', 'The orchard gave more baskets of apples than in any year before, and the pears were good, too.'],
  [
    'de',
    'Der Obstgarten hat mehr Körbe voller Äpfel getragen als in jedem Jahr davor, und auch die Birnen waren gut.',
  ],
  [
    'fr',
    'Le verger a donné plus de paniers de pommes que les années précédentes, et les poires étaient bonnes aussi.',
  ],
  ['ru', 'Сад дал больше корзин яблок, чем в любой год до этого, и груши тоже были хорошими.'],
  [
    'ja',
    '果樹園ではこれまでのどの年よりも多くのりんごが採れました。梨もとても良い出来でした。収穫は十一月に終わりました。',
  ],
]

it.each(TEXTS)('detects %s', async (language, text) => {
  expect(await createLanguageDetector()(text)).toBe(language)
})

it('does not guess from a few characters, numbers or nothing', async () => {
  const detect = createLanguageDetector()
  for (const text of ['', 'apples', '1 2 3 4 5 6 7 8 9 '.repeat(10)])
    expect(await detect(text)).toBeUndefined()
})

it('is used only for pages that do not declare their language, which say so', async () => {
  const [[, english] = ['', ''], [, german] = ['', '']] = TEXTS
  const detectLanguage = createLanguageDetector()
  expect(await readTestDocument(Buffer.from(`<p>${german}`), { detectLanguage })).toMatchObject({
    language: 'de',
    metadata: { languageSource: 'detected' },
  })
  const declared = await readTestDocument(Buffer.from(`<html lang=fr><p>${english}`), { detectLanguage })
  expect([declared.language, declared.metadata]).toEqual(['fr', undefined])
})
