import { contentStore } from '@tidings/codec'
import { loadConfig } from '@tidings/config'
import {
  asCampaignId,
  asContactId,
  type CampaignEvent,
  type ContactId,
  campaign,
  campaignStream,
  contactSubject,
  type EmailAccepted,
  type EmailContent,
  type MessageEvent,
  type MessageId,
  messageStream,
  type WorkspaceId,
} from '@tidings/domain'
import { campaignCopies } from '@tidings/service/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { newNumber, SENDER, texting } from './support/texts.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let acme: Client

const FILE = `${texting}
templates:
  - { name: spring, channel: email, subject: "Hi {{firstName}}", html: "<p>{{firstName}}</p>" }
  - { name: flash, channel: sms, body: "Hi {{firstName}}" }
lists: [{ name: VIP, type: static }]
campaigns:
  - { name: Mail, channel: email, list: VIP, template: spring, from: hello@copies.example }
  - { name: Text, channel: sms, list: VIP, template: flash, from: ${SENDER} }`

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('copies', FILE)
})
afterAll(() => world?.stop())

const person = async (address: Readonly<{ email?: string; phone?: string }>, firstName: string): Promise<string> =>
  dataOf<{ id: string }>(await acme.request('POST', '/public/profiles', { ...address, firstName }), 201).id
const workspaceId = (): WorkspaceId => acme.applied.workspace.id
const copyTo = async (name: string, to: string, contactId: ContactId) => {
  const campaignId = asCampaignId(acme.applied.campaigns[name] ?? '')
  const events = await world.stores.log.readStream<CampaignEvent>(workspaceId(), campaignStream(workspaceId(), campaignId))
  const state = events.reduce(campaign.evolve, campaign.initialState)
  if (state === null) throw new Error(`there is no campaign ${name}`)
  const config = loadConfig({ TIDINGS_DATABASE_URL: 'postgres://unused', TIDINGS_MASTER_KEY: '00'.repeat(32) }, null)
  return await campaignCopies({ stores: world.stores, config }).sendTest({
    workspaceId: workspaceId(),
    campaignId,
    state,
    events,
    to,
    contactId,
  })
}
const acceptedAs = async (messageId: MessageId) => {
  const events = await world.stores.log.readStream<MessageEvent>(workspaceId(), messageStream(workspaceId(), messageId))
  const accepted = events.find(({ type }) => type === 'EmailAccepted')
  if (accepted?.type !== 'EmailAccepted') throw new Error(`${messageId} is no email`)
  return { ...accepted.data, erased: accepted.erased } satisfies EmailAccepted['data'] & { erased: boolean }
}
const contentOf = (contentId: string | null) => {
  const { pool, keyRing } = world.stores
  return contentStore<EmailContent>({ pool, keyRing }).get(workspaceId(), contentId ?? '')
}
const erase = (contactId: ContactId) => world.stores.keyRing.shred(workspaceId(), contactSubject({ contactId }))

it('a test copy is erased with the contact whose values it has, and its address with the one that has that', async () => {
  const ann = asContactId(await person({ email: 'ann@people.example' }, 'Ann'))
  const { messageId, contactId } = await copyTo('Mail', 'team@copies.example', ann)
  expect(contactId).not.toBe(ann)
  await acme.messageWith(messageId, 'sent')
  const accepted = await acceptedAs(messageId)
  expect(accepted).toMatchObject({ contactId, to: 'team@copies.example', content: null, erased: false })
  expect(await contentOf(accepted.contentId)).toMatchObject({ subject: '[Test] Hi Ann' })
  await erase(ann)
  expect(await contentOf(accepted.contentId)).toBe('erased')
  expect(await acceptedAs(messageId)).toMatchObject({ to: 'team@copies.example' })
  await erase(contactId)
  expect(await acceptedAs(messageId)).toMatchObject({ erased: true })
})

it('a test copy to the contact itself is whole in its event', async () => {
  const bob = asContactId(await person({ email: 'bob@people.example' }, 'Bob'))
  const { messageId } = await copyTo('Mail', 'bob@people.example', bob)
  expect(await acceptedAs(messageId)).toMatchObject({ contactId: bob, content: { subject: '[Test] Hi Bob' }, contentId: null })
})

it('a text has the values of the contact that has the number, and of no other', async () => {
  const [phone, other] = [newNumber(), newNumber()]
  const cat = asContactId(await person({ phone }, 'Cat'))
  await expect(copyTo('Text', other, cat)).rejects.toThrow(/leave --contact out/)
  const { messageId, contactId } = await copyTo('Text', phone, cat)
  expect(contactId).toBe(cat)
  await acme.messageWith(messageId, 'sent')
})
