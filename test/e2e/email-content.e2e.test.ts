import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coded, outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { outboxOf, type SentEmail } from './support/outbox.ts'
import { startWorld, type World } from './support/world.ts'

const UNKNOWN = '00000000-0000-7000-8000-000000000000'

let world: World
let acme: Client
let outbox: ReturnType<typeof outboxOf>

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme')
  outbox = outboxOf(world)
})
afterAll(() => world.stop())

const manual = { fromEmail: 'hello@acme.example', subject: 'Hello', html: '<p>Hi</p>' }

const answered = async (body: Readonly<Record<string, unknown>>) => outcome(await acme.request('POST', '/public/messages/email', body))

const delivered = async (to: string, more: Readonly<Record<string, unknown>> = {}): Promise<SentEmail> => {
  const id = await acme.send(to, more)
  await acme.messageWith(id, 'sent')
  return outbox.of(id)
}

describe('manual content', () => {
  it('goes out as written, tags and all', async () => {
    const email = await delivered('known@example.com', {
      subject: 'Hi {{firstName}}',
      html: '<p>{{code}} & <b>{{firstName|you}}</b></p>',
      text: '{{code}}',
      templateFields: { code: '1' },
      contentMode: 'manual',
      replyTo: 'Help@Elsewhere.example',
    })
    expect(email).toMatchObject({ subject: 'Hi {{firstName}}', html: '<p>{{code}} & <b>{{firstName|you}}</b></p>', text: '{{code}}' })
    expect(email.headers['Reply-To']).toBe('<help@elsewhere.example>')
  })

  it('gets a text part from its html, and the ids of its message and request', async () => {
    const id = await acme.send('known@example.com', { html: '<h1>A</h1><p>b &amp; c</p>' })
    await acme.messageWith(id, 'sent')
    const { text, headers } = await outbox.of(id)
    expect(text).toContain('b & c')
    expect(text).not.toContain('<')
    expect(headers['Message-ID']).toContain(id)
    expect(headers['X-Request-Id']).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(headers).not.toHaveProperty('List-Unsubscribe')
  })

  it.each([
    [{ subject: undefined }, uncoded(400, 'subject must be a string')],
    [{ html: undefined }, uncoded(400, 'html must be a string')],
    [{ contentMode: 'template' }, uncoded(400, 'templateId is required when contentMode is template')],
    [{ contentMode: 'manual', templateId: UNKNOWN }, uncoded(400, 'templateId is not allowed when contentMode is manual')],
    [{ contentMode: 'auto' }, uncoded(400, 'contentMode must be one of the following values: manual, template')],
    [{ fromEmail: undefined }, uncoded(400, 'fromEmail must be a string')],
    [{ subject: '' }, coded(400, 'content_empty')],
    [{ subject: '\r\n' }, coded(400, 'content_empty')],
    [{ html: ' ' }, coded(400, 'content_empty')],
    [{ subject: 'x'.repeat(501) }, uncoded(400, 'subject must be shorter than or equal to 500 characters')],
    [{ html: 'x'.repeat(500_001) }, uncoded(400, 'html must be shorter than or equal to 500000 characters')],
    [{ text: 'x'.repeat(500_001) }, uncoded(400, 'text must be shorter than or equal to 500000 characters')],
    [{ fromName: 'x'.repeat(256) }, uncoded(400, 'fromName must be shorter than or equal to 255 characters')],
  ])('is refused with %j', async (wrong, refusal) => {
    expect(await answered({ ...manual, to: 'known@example.com', ...wrong })).toEqual(refusal)
  })

  it('of a megabyte arrives whole', async () => {
    const html = `<p>${'é<br>'.repeat(60_000)}</p>`.padEnd(500_000, 'é')
    const text = 'שלום\n'.repeat(100_000)
    expect(await delivered('known@example.com', { html, text })).toMatchObject({ html, text })
  })
})

describe('a header', () => {
  const attack = 'Hello\r\nBcc: victim@example.com\u2028X: y'

  it('takes no second line from subject or fromName', async () => {
    const { subject, headers } = await delivered('known@example.com', { subject: attack, fromName: attack })
    expect(subject).toBe('Hello Bcc: victim@example.com X: y')
    for (const [name, value] of Object.entries(headers)) expect(`${name}: ${value.replaceAll('\r\n ', ' ')}`).not.toMatch(/[\r\n\u2028]/)
    expect(headers).not.toHaveProperty('Bcc')
    expect(headers.From).toContain('<hello@acme.example>')
  })

  it.each(['to', 'fromEmail', 'replyTo'])('takes no second line from %s, which must be an address', async (field) => {
    const refusal = uncoded(400, `${field} must be an email`)
    expect(await answered({ ...manual, to: 'known@example.com', [field]: 'hello@acme.example\r\nBcc: victim@example.com' })).toEqual(
      refusal,
    )
    expect(await answered({ ...manual, to: 'known@example.com', [field]: 'Hello <hello@acme.example>' })).toEqual(refusal)
  })
})
