import { expect, it } from 'vitest'
import { readTestDocument } from '../../../../testing/read-test-document.ts'

const MESSAGE = [
  'From: =?utf-8?Q?Ada_Ex=C3=A4mple?= <ada@example.org>',
  'To: team@example.org',
  'Subject: Harvest',
  'Date: Tue, 17 Nov 2026 10:00:00 +0100',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=x',
  '',
  '--x',
  'Content-Type: text/plain; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Gr=FC=DFe, see https://example.org/figures.html',
  '--x',
  'Content-Type: application/pdf; name=plan.pdf',
  'Content-Disposition: attachment; filename=plan.pdf',
  'Content-Transfer-Encoding: base64',
  '',
  'JVBERg==',
  '--x--',
  '',
]

it.each(['\n', '\r\n'])('reads a message with line ends %j', async (lineEnd) => {
  const reading = await readTestDocument(Buffer.from(MESSAGE.join(lineEnd)), { name: 'a.eml' })
  expect(reading).toMatchObject({ status: 'parsed', type: 'message/rfc822', title: 'Harvest' })
  expect(reading.text.split('\n')).toEqual([
    'Subject: Harvest',
    'From: Ada Exämple <ada@example.org>',
    'To: team@example.org',
    expect.stringMatching(/^Date: /),
    'Grüße, see https://example.org/figures.html',
    'Attachment: plan.pdf',
  ])
  expect(reading.metadata).toEqual({
    author: 'Ada Exämple <ada@example.org>',
    published: '2026-11-17T09:00:00.000Z',
  })
  expect(reading.links.map(({ url }) => url)).toEqual(['https://example.org/figures.html'])
})

it('reads the messages of a mailbox', async () => {
  const second = MESSAGE.join('\n').replace('Harvest', 'Again')
  const mailbox = `From ada Tue Nov 17 10:00:00 2026\n${MESSAGE.join('\n')}\nFrom bob Tue Nov 17 11:00:00 2026\n${second}`
  const { type, text } = await readTestDocument(Buffer.from(mailbox), { name: 'list.mbox' })
  expect(type).toBe('application/mbox')
  expect(text.match(/^Subject: .*/gm)).toEqual(['Subject: Harvest', 'Subject: Again'])
})

it('reads HTML if there is no plain text', async () => {
  const message =
    'Subject: x\nContent-Type: text/html\n\n<p>Hello <a href="https://example.org/a">you</a></p>'
  const { text, links } = await readTestDocument(Buffer.from(message), { contentType: 'message/rfc822' })
  expect(text).toBe('Subject: x\nHello you')
  expect(links).toMatchObject([{ url: 'https://example.org/a', anchor: 'you' }])
})
