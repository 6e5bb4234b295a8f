import { uuidv5 } from '@tidings/codec'
import {
  asMessageId,
  type ContactId,
  type EmailAccepted,
  type MessageEvent,
  type MessageId,
  message,
  messageStream,
  type TemplateId,
} from '@tidings/domain'
import { createTemplateTexts } from '@tidings/log-views'
import { joinedEmail } from '@tidings/mail-content'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { draftMessage } from '../../src/marketing/draft-message.ts'
import { templateNow } from '../../src/marketing/template-now.ts'
import { flowRig } from '../testing/flow-rig.ts'
import { FROM, openRig, type Rig, WORKSPACE } from '../testing/rig.ts'

let db: TestDatabase
let rig: Rig
let given: ReturnType<typeof flowRig>

beforeEach(async () => {
  db = await testDatabase()
  rig = await openRig(db.pool)
  given = flowRig(rig)
  await rig.configureSender(true)
})
afterEach(async () => {
  await rig.close()
  await db.drop()
})

const HTML = '<p title="{{note}}">Dear {{firstName|you}}: {{note}}</p><style>a{color:red}</style>'
const SAID = '<p title="a &lt; &quot;b&quot;">Dear Ada: a &lt; &quot;b&quot;</p><style>a{color:red}</style>'

/** Makes and accepts a message as flows and campaigns do. Nothing sends it yet. */
const accept = async (contactId: ContactId, templateId: TemplateId): Promise<MessageId> => {
  const messageId = asMessageId(uuidv5(`message:${templateId}`, contactId))
  const command = await draftMessage(
    { contacts: rig.log, content: rig.content, links: rig.links },
    { workspaceId: WORKSPACE, contactId, messageId, channel: 'email', templateId, from: FROM, senderName: async () => null },
    { template: () => templateNow(rig.runner, WORKSPACE, templateId), properties: async () => ({ note: 'a < "b"' }) },
  )
  if (typeof command === 'string') throw new Error(command)
  const context = { commandId: messageId, workspaceId: WORKSPACE, actor: 'test', requestId: 'r', at: new Date().toISOString() }
  await rig.runner.execute({ decider: message, stream: messageStream(WORKSPACE, messageId), command, context, isNew: true })
  return messageId
}
const acceptedEvent = async (messageId: MessageId) => {
  const [event] = await rig.log.readStream<MessageEvent>(WORKSPACE, messageStream(WORKSPACE, messageId))
  if (event?.type !== 'EmailAccepted') throw new Error('no mail was accepted')
  return event
}
const ends = (messageId: MessageId, ...events: string[]) =>
  until(async () => expect(await rig.eventsOf(messageId)).toEqual(['EmailAccepted', ...events]))
type Mail = Readonly<{ subject: string; html: string }>
const mails = async () => (await db.pool.query<Mail>('select subject, html from outbox.message order by seq')).rows
/** The html without the pixel, which tells one message from another. */
const sentHtml = async () => (await mails()).map(({ html }) => html.replace(/<img src="[^"]*"[^>]*>$/, ''))
const ada = () => given.contact('ada@example.com', { firstName: 'Ada' })

describe('a mail from a template', () => {
  test('has only what was merged in its event, and goes out as it was accepted: changed and archived, by a process that starts later', async () => {
    const templateId = await given.template({ subject: 'Hi {{firstName}}', html: HTML })
    const messageId = await accept(await ada(), templateId)
    const { data } = await acceptedEvent(messageId)
    expect(data).toMatchObject({ content: null, contentId: null, merged: { subject: 'Hi Ada', text: null } })
    expect(JSON.stringify(data.merged)).not.toContain('color')
    await given.changeTemplate(templateId, { subject: 'Newer', html: '<p>Newer</p>' })
    await given.changeTemplate(templateId, { subject: 'Newest', html: '<p>Newest</p>' }, true)
    await rig.consume('outbox')
    await ends(messageId, 'MessageSent')
    expect((await mails()).map(({ subject }) => subject)).toEqual(['Hi Ada'])
    expect(await sentHtml()).toEqual([SAID])
  })

  test('reads the same however often its template changed since, and again when its first process is gone', async () => {
    const templateId = await given.template({ subject: 'Hi', html: HTML })
    const messageId = await accept(await ada(), templateId)
    // More than two pages of versions.
    for (let n = 0; n < 40; n++) await given.changeTemplate(templateId, { subject: 'Hi', html: `<p>${n % 20}</p>` })
    const { data } = await acceptedEvent(messageId)
    const version = { workspaceId: WORKSPACE, templateId, templateDigest: data.templateDigest ?? '' }
    const texts = createTemplateTexts(rig.log)
    const [first, beside] = await Promise.all([texts.find(version), texts.find(version)])
    expect([first, beside]).toEqual(Array(2).fill({ subject: 'Hi', html: HTML, text: null }))
    expect(texts.find(version)).toBe(first)
    const merged = data.merged ?? { subject: '', html: [], text: null }
    expect([first, await createTemplateTexts(rig.log).find(version)].map((one) => joinedEmail(merged, one).html)).toEqual([SAID, SAID])
    await expect(texts.find({ ...version, templateDigest: 'another' })).rejects.toThrow(/has no version another/)
  })

  test('whose version is the newest still costs two events of its template, archived or not, however many there are', async () => {
    const templateId = await given.template({ html: HTML })
    for (let n = 0; n < 20; n++) await given.changeTemplate(templateId, { subject: 'Hi', html: `<p>${n}</p>` })
    const { data } = await acceptedEvent(await accept(await ada(), templateId))
    await given.changeTemplate(templateId, { subject: 'Hi', html: '<p>19</p>' }, true)
    const limits: (number | undefined)[] = []
    const texts = createTemplateTexts({
      readStream: (workspaceId, stream, options) => {
        limits.push(options?.limit)
        return rig.log.readStream(workspaceId, stream, options)
      },
    })
    const version = { workspaceId: WORKSPACE, templateId, templateDigest: data.templateDigest ?? '' }
    expect([await texts.find(version), limits]).toEqual([{ subject: 'Hi', html: '<p>19</p>', text: null }, [2]])
  })

  test('says nothing of an erased person, whatever its template has', async () => {
    const contactId = await ada()
    const messageId = await accept(contactId, await given.template({ html: HTML }))
    await rig.erase(contactId)
    const { data, erased } = await acceptedEvent(messageId)
    expect([erased, data.merged, data.content]).toEqual([true, null, null])
    await rig.consume('outbox')
    await ends(messageId, 'MessageFailed')
    expect((await rig.messageOf(messageId)).failureReason).toBe('undeliverable')
    expect(await mails()).toEqual([])
  })

  test('is in its event whatever the size of the template, and in a row of its own where what was merged in is large', async () => {
    const large = await given.template({ html: `<p>{{note}}</p>${'x'.repeat(60_000)}` })
    const disguised = await given.template({ html: `<p>&lcub;</p>${'x'.repeat(60_000)}` })
    const [inEvent, inRow] = [await accept(await ada(), large), await accept(await ada(), disguised)]
    expect((await acceptedEvent(inEvent)).data).toMatchObject({
      contentId: null,
      merged: { html: [[0, 3], expect.any(String), [11, 60_015]] },
    })
    const { data }: { data: EmailAccepted['data'] } = await acceptedEvent(inRow)
    expect([typeof data.contentId, data.merged, data.templateDigest]).toEqual(['string', undefined, undefined])
    await rig.consume('outbox')
    await ends(inEvent, 'MessageSent')
    await ends(inRow, 'MessageSent')
    expect((await sentHtml()).map(({ length }) => length).toSorted()).toEqual([60_008, 60_027].toSorted())
  })

  test('that an older version of this service accepted complete is sent as it is', async () => {
    const templateId = await given.template({ html: '<p>Newer</p>' })
    const contactId = await ada()
    const messageId = asMessageId(crypto.randomUUID())
    const mail = { to: 'ada@example.com', fromEmail: FROM, fromName: null, replyTo: null, contentId: null, templateId, kind: 'marketing' }
    const data = { messageId, contactId, channel: 'email', ...mail, content: { subject: 'Old', html: '<p>Old</p>', text: null } }
    const context = { commandId: messageId, workspaceId: WORKSPACE, actor: 'test', requestId: 'r', at: new Date().toISOString() }
    await rig.log.append(messageStream(WORKSPACE, messageId), 'no_stream', [{ type: 'EmailAccepted', data }], context)
    await rig.consume('outbox')
    await ends(messageId, 'MessageSent')
    expect(await sentHtml()).toEqual(['<p>Old</p>'])
  })
})
