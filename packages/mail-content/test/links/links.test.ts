import { createHmac, createSecretKey } from 'node:crypto'
import { asContactId, asMessageId, asWorkspaceId } from '@tidings/domain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLinks } from '../../src/links/links.ts'

const links = createLinks({
  publicUrl: 'https://mail.acme.example',
  derive: () => [(purpose) => createSecretKey(createHmac('sha256', 'master').update(purpose).digest())],
})
const of = {
  workspaceId: asWorkspaceId('0192f0a0-0000-7000-8000-000000000001'),
  messageId: asMessageId('0192f0a0-0000-7000-8000-000000000002'),
}
const contactId = asContactId('0192f0a0-0000-7000-8000-000000000003')

/** The tokens of a mail's links. */
const tokensIn = (html: string): readonly string[] => [...html.matchAll(/\/c\?t=([\w-]+)"/g)].map(([, token]) => token ?? '')
const addressOf = (token: string | undefined): string | undefined => links.open('click', token)?.url
const tracked = (url: string): string => links.track(`<a href="${url}">x</a>`, of)

describe('a link of a mail', () => {
  it('ends in a letter or a digit, whatever it leads to', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), fc.uuid(), (url, messageId) => {
        const asked = { ...of, messageId: asMessageId(messageId) }
        for (const link of [
          links.clickUrl(url, asked),
          links.unsubscribeUrl({ ...asked, contactId }),
          links.confirmUrl(asked),
          links.verifyUrl({ ...asked, addressId: contactId }),
        ])
          expect(link).toMatch(/[A-Za-z0-9]$/)
      }),
    )
  })

  it.each(['.', ',', ')', '>', ';', ').', '.)', '"', '!', '?', ']', '\n'])('opens with %j of the text behind it', (end) => {
    const url = new URL(links.unsubscribeUrl({ ...of, contactId }))
    expect(links.open('unsubscribe', `${url.searchParams.get('t')}${end}`)).toMatchObject({ contactId })
  })

  it('opens whole, or is left as it was written: however long, and in whatever letters', () => {
    const letters = fc.constantFrom('a', 'ü', 'א', '中', '🎁', '%D7%90')
    fc.assert(
      fc.property(letters, fc.integer({ min: 1, max: 2_100 }), (letter, times) => {
        const url = `https://shop.example/${letter.repeat(times)}`
        const html = tracked(url)
        const [token] = tokensIn(html)
        if (token === undefined) expect(html).toContain(`href="${url}"`)
        else expect(addressOf(token)).toBe(url)
      }),
    )
  })

  it('too long for a token is left as it was written', () => {
    for (const url of [`https://shop.example/${'א'.repeat(1_800)}`, `https://shop.example/${'🎁'.repeat(950)}`]) {
      expect(tokensIn(tracked(url))).toEqual([])
      expect(links.clickUrl(url, of)).toBe(url)
    }
  })

  it('that leads through the service already is left as it is', () => {
    const once = links.clickUrl('https://shop.example/', of)
    expect(tracked(once)).toContain(`href="${once}"`)
  })
})
