import { asMessageId } from '@tidings/domain'
import fc from 'fast-check'
import PostalMime from 'postal-mime'
import { describe, expect, test } from 'vitest'
import { buildMime, type MimeOptions } from '../../../src/email/mime/build-mime.ts'
import type { EmailMessage } from '../../../src/email/port.ts'
import { mail } from '../mail.fixture.ts'

const plain: EmailMessage = { ...mail, subject: 'Your code', html: '<p>It is <b>42</b>.</p>' }
const date = new Date('2026-11-21T10:00:00Z')
const built = (changes: Partial<EmailMessage>, options: Partial<MimeOptions> = {}): string =>
  buildMime({ ...plain, ...changes }, { host: 'mail.acme.example', date, ...options })
const parsed = (changes: Partial<EmailMessage>) => PostalMime.parse(built(changes))
const subscription = { unsubscribeUrl: `https://mail.acme.example/u?t=${'x'.repeat(90)}`, sentBy: { kind: 'campaign', id: 'c' } } as const
const headerOf = (raw: string): readonly string[] => raw.slice(0, raw.indexOf('\r\n\r\n')).split('\r\n')

describe('a built mail, read by another library', () => {
  test('names sender, recipient, date and subject', async () => {
    const mail = await parsed({ replyTo: 'help@acme.example', text: 'It is 42.' })
    expect(mail.from).toMatchObject({ name: 'Acme', address: 'hello@acme.example' })
    expect(mail.to?.map(({ address }) => address)).toEqual(['ada@example.com'])
    expect(mail.replyTo?.map(({ address }) => address)).toEqual(['help@acme.example'])
    expect(mail.subject).toBe('Your code')
    expect(mail.date).toBe('2026-11-21T10:00:00.000Z')
    expect(mail.messageId).toBe('<0192b1f0-0000-7000-8000-00000000000a.03coxo38qce1qyf8hntb8mz9d@mail.acme.example>')
    expect(mail.headers.find(({ key }) => key === 'x-request-id')?.value).toBe('req-1')
    expect(mail.html?.trim()).toBe('<p>It is <b>42</b>.</p>')
    expect(mail.text?.trim()).toBe('It is 42.')
  })

  test('gives back every character of a subject, a name and a body that are not ASCII', async () => {
    const subject = 'Grüße 🎉 מזל טוב — und noch viel mehr Text, damit die Zeile mehrmals gefaltet werden muss 🎉🎉🎉'
    const html = `<p>${'שלום עולם 🎉 '.repeat(100)}=20 ends with spaces   \n.\n..dots</p>`
    const mail = await parsed({ subject, html, from: { email: 'hello@acme.example', name: 'Café "Zoë", GmbH 🎈' } })
    expect(mail.subject).toBe(subject)
    expect(mail.from?.name).toBe('Café "Zoë", GmbH 🎈')
    expect(mail.html?.trim().replaceAll('\r\n', '\n')).toBe(html)
  })

  test('has the headers of one-click unsubscription only where that is possible', async () => {
    const { headers } = await parsed({ subscription })
    const valueIn = (name: string) => headers.find(({ key }) => key === name)?.value
    expect(valueIn('list-unsubscribe')).toBe(`<${subscription.unsubscribeUrl}>`)
    expect(valueIn('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    expect(built({})).not.toContain('List-')
  })

  test('can be unsubscribed from by a mail as well where one is read', async () => {
    const { headers } = await PostalMime.parse(built({ subscription }, { unsubscribeAddress: 'bounces+0a@acme.example' }))
    expect(headers.find(({ key }) => key === 'list-unsubscribe')?.value).toBe(
      `<${subscription.unsubscribeUrl}>, <mailto:bounces+0a@acme.example?subject=unsubscribe>`,
    )
  })

  test('says that a program wrote it, or of which list it is, and never that it is bulk', () => {
    const ofList = headerOf(built({ subscription, from: { email: 'news@bücher.example', name: null } }))
    expect(ofList).toContain('List-Id: <0192b1f0-0000-7000-8000-000000000001.xn--bcher-kva.example>')
    expect(ofList).toContain('Feedback-ID: c:0192b1f0-0000-7000-8000-000000000001:campaign:yf8hntb8mz9d')
    expect(ofList.join()).not.toContain('Auto-Submitted')
    expect(headerOf(built({}))).toContain('Auto-Submitted: auto-generated')
    for (const raw of [built({}), built({ subscription })]) expect(raw).not.toMatch(/^Precedence/im)
  })

  test('names its list by what does not change from mail to mail', () => {
    const lists = [1, 2].map((n) =>
      headerOf(
        built({
          messageId: asMessageId(`0192b1f0-0000-7000-8000-00000000000${n}`),
          subscription: { ...subscription, sentBy: { kind: 'template', id: `${n}` } },
        }),
      ).filter((line) => line.startsWith('List-Id')),
    )
    expect(lists[0]).toEqual(lists[1])
    expect(lists[0]).toHaveLength(1)
  })

  test('derives the text from the html when there is none', async () => {
    expect((await parsed({})).text?.trim()).toBe('It is 42.')
  })

  test('keeps a subject that looks like an encoded word as it was written', async () => {
    expect((await parsed({ subject: '=?utf-8?Q?no?=' })).subject).toBe('=?utf-8?Q?no?=')
  })

  test.each(['Smith, John', 'a "quoted" name', 'back\\slash', 'semi; colon: <x>', '(comment)'])('gives back the name %s', async (name) => {
    expect((await parsed({ from: { email: 'hello@acme.example', name } })).from?.name).toBe(name)
  })

  test('writes an international domain in ASCII', () => {
    expect(built({ to: 'ada@bücher.example' })).toContain('To: <ada@xn--bcher-kva.example>')
  })

  test.each([' '.repeat(200), `${' '.repeat(100)}x`, `x${' '.repeat(100)}`, `a${' '.repeat(90)}b`])(
    'has no empty line in its headers, and gives back a subject of blanks (%j)',
    async (subject) => {
      const raw = built({ subject, from: { email: 'hello@acme.example', name: subject } })
      for (const line of headerOf(raw)) expect(line.trim()).not.toBe('')
      expect(headerOf(raw).join('\n')).toContain('Content-Type: multipart/alternative')
      const mail = await parsed({ subject, from: { email: 'hello@acme.example', name: subject } })
      expect(mail.subject?.trim()).toBe(subject.trim())
      expect(mail.html?.trim()).toBe('<p>It is <b>42</b>.</p>')
    },
  )

  test('whatever blanks and words a subject is made of, no line of the headers is blank', () => {
    const words = fc.string({ unit: fc.constantFrom(' ', ' '.repeat(40), 'word', 'ü'), maxLength: 40 })
    fc.assert(
      fc.property(words, words, (subject, name) => {
        for (const line of headerOf(built({ subject, from: { email: 'hello@acme.example', name } }))) expect(line.trim()).not.toBe('')
      }),
    )
  })

  test('has no line over 78 characters, but for its Message-ID, which cannot be folded, and no bare CR or LF', () => {
    const raw = built({ subject: 'x'.repeat(500), html: `<p>${'long '.repeat(2_000)}</p>\r\rbare\n` })
    const lines = raw.split('\r\n').filter((line) => !line.startsWith('Message-ID: '))
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(78)
    expect(raw.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  test('is the same bytes at the same time', () => {
    expect(built({})).toBe(built({}))
  })
})

describe('a header can never hold what would start another one', () => {
  const evil = ['\r\nBcc: victim@example.com', '\nX: 1', '\rX: 1', 'a\u0000b', '\u0085', '\u2028X: 1', '\u001b[31m', '\u007f']
  test.each(evil)('%j is refused in every field that becomes a header', (bad) => {
    const fields: Partial<EmailMessage>[] = [
      { subject: `Hi${bad}` },
      { from: { email: 'hello@acme.example', name: `Acme${bad}` } },
      { from: { email: `hello${bad}@acme.example`, name: null } },
      { to: `ada${bad}@example.com` },
      { replyTo: `ada${bad}@example.com` },
      { requestId: `r${bad}` },
    ]
    for (const field of fields) expect(() => built(field)).toThrow(expect.objectContaining({ name: 'DeliveryError', failure: 'refused' }))
  })

  test('an encoded word cannot carry one either: the decoded subject is one line', async () => {
    const raw = built({ subject: 'é'.repeat(300) })
    expect(
      headerOf(raw)
        .filter((line) => !/^\s/.test(line))
        .map((line) => line.split(':')[0]),
    ).toEqual(['From', 'To', 'Subject', 'Message-ID', 'Date', 'X-Request-Id', 'Auto-Submitted', 'MIME-Version', 'Content-Type'])
  })

  test('an address with brackets or spaces is refused', () => {
    for (const to of ['a b@example.com', 'a>,<b@example.com', '@example.com', 'unknown']) expect(() => built({ to })).toThrow('on the wire')
  })
})
