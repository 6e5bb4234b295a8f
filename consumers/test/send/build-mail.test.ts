import { parseMasterKey, type Recorded } from '@tidings/codec'
import { asCampaignId, asContactId, asMessageId, asTemplateId, asWorkspaceId, type EmailAccepted } from '@tidings/domain'
import { createLinks } from '@tidings/mail-content'
import { describe, expect, it } from 'vitest'
import { buildMail } from '../../src/send/build-mail.ts'

const workspaceId = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000a')
const messageId = asMessageId('0192f0c1-0000-7000-8000-00000000000b')
const contactId = asContactId('0192f0c1-0000-7000-8000-00000000000c')
const derivers = [parseMasterKey('00'.repeat(32)).derive] as const
const links = createLinks({ publicUrl: 'https://mail.example', derive: () => derivers })
const html = '<p><a href="https://shop.example/">Shop</a></p>'

const accepted = (changes: Partial<EmailAccepted['data']>): Recorded<EmailAccepted> => ({
  id: 'e',
  stream: `message-${workspaceId}-${messageId}`,
  revision: 0,
  position: { commit: 1n, prepare: 0n },
  created: '2026-11-21T10:00:00.000Z',
  erased: false,
  type: 'EmailAccepted',
  meta: { workspaceId, actor: 'key:k', requestId: 'r', at: '2026-11-21T10:00:00.000Z', schemaVersion: 1 },
  data: {
    messageId,
    contactId,
    channel: 'email',
    to: 'ada@example.com',
    fromEmail: 'hello@acme.example',
    fromName: null,
    replyTo: null,
    content: null,
    contentId: null,
    templateId: null,
    kind: 'transactional',
    ...changes,
  },
})
const sent = (changes: Partial<EmailAccepted['data']> = {}, tracking = false, text: string | null = null) =>
  buildMail({ links, workspaces: { tracks: () => tracking, dkimKey: () => null } }, accepted(changes), { subject: 'Hi', html, text })

/** What the link that matches asks for, as who receives it would find out. */
const asked = (kind: 'open' | 'click' | 'unsubscribe', found: string | undefined) => links.open(kind, /\?t=([\w-]+)/.exec(found ?? '')?.[1])

describe('a manual mail', () => {
  it('leaves as it was written', async () => {
    expect(await sent()).toMatchObject({ html, text: null })
    expect(await sent()).not.toHaveProperty('subscription')
  })

  it('of a workspace that turned tracking on has links and a pixel, and the text of what was written', async () => {
    const mail = await sent({}, true)
    const [click, pixel] = mail.html.match(/https:\/\/mail\.example[^"]+/g) ?? []
    expect(asked('click', click)).toEqual({ kind: 'click', workspaceId, messageId, link: 0, url: 'https://shop.example/' })
    expect(asked('open', pixel)).toEqual({ kind: 'open', workspaceId, messageId })
    expect(mail.text).toBe('Shop (https://shop.example/)')
    expect(mail).not.toHaveProperty('subscription')
  })
})

it('a mail of a template is tracked, its text left alone', async () => {
  const mail = await sent({ templateId: asTemplateId('t') }, false, 'https://shop.example/')
  expect(mail.html).not.toContain('shop.example')
  expect(mail.text).toBe('https://shop.example/')
})

it('marketing mail is tracked, and names the page on which this recipient unsubscribes', async () => {
  const mail = await sent({ kind: 'marketing' })
  expect(mail.html).not.toContain('shop.example')
  expect(mail.subscription?.unsubscribeUrl).toMatch(/^https:\/\/mail\.example\/u\?t=/)
  expect(asked('unsubscribe', mail.subscription?.unsubscribeUrl)).toEqual({ kind: 'unsubscribe', workspaceId, messageId, contactId })
})

it('marketing mail names its campaign, or its template where a flow sends it', async () => {
  const sentBy = async (changes: Parameters<typeof sent>[0]) => (await sent({ kind: 'marketing', ...changes })).subscription?.sentBy
  expect(await sentBy({ campaign: { campaignId: asCampaignId('c'), variant: 1 }, templateId: asTemplateId('t') })).toEqual({
    kind: 'campaign',
    id: 'c',
  })
  expect(await sentBy({ templateId: asTemplateId('t') })).toEqual({ kind: 'template', id: 't' })
})

it('a mail is the same at every try', async () => {
  expect(await sent({ kind: 'marketing' })).toEqual(await sent({ kind: 'marketing' }))
})

it('a link to unsubscribe is not turned into a click', async () => {
  const url = links.unsubscribeUrl({ workspaceId, messageId, contactId })
  expect(links.track(`<a href="${url}">`, { workspaceId, messageId })).toContain(`<a href="${url}">`)
})
