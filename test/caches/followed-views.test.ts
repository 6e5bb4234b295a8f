import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEventLog, type EventLog, type KeyRing, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { createFlowView } from '@tidings/consumers'
import {
  asCampaignId,
  asContactId,
  asWorkspaceId,
  availableCredits,
  type ContactId,
  campaignStream,
  contact,
  contactStream,
  contactSubject,
  type Decider,
  type DomainEvent,
  eventDeclarations,
  flowsStream,
  senderIdNamed,
  senderIds,
  senderIdsStream,
  type WorkspaceId,
  wallet,
  walletStream,
  webhooks,
  webhooksStream,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { comparePositions, START } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import { createFollower, type Follower } from '@tidings/log-views'
import { createCreditView } from '@tidings/wallet'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCampaignView } from '../../consumers/src/views/campaign-view.ts'
import { createRecipientView } from '../../consumers/src/views/recipient-view.ts'
import { createSenderIdView } from '../../consumers/src/views/sender-id-view.ts'
import { createWorkspaceView } from '../../consumers/src/views/workspace-view.ts'
import { createEndpointView } from '../../consumers/src/webhooks/endpoint-view.ts'
import { contactLife } from '../../projectors/test/contact-events.ts'
import { flowsLife } from '../../projectors/test/flow-events.ts'
import { campaignLife, senderIdsLife } from '../../projectors/test/lookup-events.ts'
import { walletLife } from '../../projectors/test/wallet-events.ts'
import { webhooksLife } from '../../projectors/test/webhook-events.ts'
import { workspaceLife } from '../../projectors/test/workspace-events.ts'

let keyRing: KeyRing
let log: EventLog
let follower: Follower
let views: ReturnType<typeof viewsOf>

/** Those of one process. */
const viewsOf = (of: EventLog) => ({
  recipients: createRecipientView(of),
  workspaces: createWorkspaceView(of),
  campaigns: createCampaignView(of),
  senders: createSenderIdView(of),
  endpoints: createEndpointView(of),
  flows: createFlowView(of),
  credits: createCreditView(createCommandRunner({ log: of })),
})

beforeAll(() => {
  keyRing = memoryKeyRing()
  log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing })
  views = viewsOf(log)
  // What has not heard the log for a second by its clock is not asked: this clock stands still.
  follower = createFollower({ log, views: Object.values(views), now: () => 0 })
})
afterAll(async () => {
  await follower.close()
  await log.close()
})

type Step = Readonly<{ stream: string; event: DomainEvent }>
type Life = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; campaignId: string; steps: readonly Step[] }>

/** Each ends with an erasure. */
const erasedLife = (contactId: ContactId) => contactLife(contactId).filter((events) => events.at(-1)?.type === 'ContactErased')

const ids = fc.constant(null).map(() => [asWorkspaceId(randomUUID()), asContactId(randomUUID()), randomUUID()] as const)

/** A workspace with everything that the views follow, each stream in its own order. */
const lives: fc.Arbitrary<Life> = ids.chain(([workspaceId, contactId, campaignId]) =>
  fc
    .tuple(
      workspaceLife(workspaceId).map((events) => ({ stream: workspaceStream(workspaceId), events })),
      senderIdsLife.map((events) => ({ stream: senderIdsStream(workspaceId), events })),
      erasedLife(contactId).map((events) => ({ stream: contactStream(workspaceId, contactId), events })),
      campaignLife(asCampaignId(campaignId)).map((events) => ({ stream: campaignStream(workspaceId, asCampaignId(campaignId)), events })),
      webhooksLife.map((events) => ({ stream: webhooksStream(workspaceId), events })),
      flowsLife.map((events) => ({ stream: flowsStream(workspaceId), events })),
      walletLife.map((events) => ({ stream: walletStream(workspaceId), events })),
    )
    .map((streams) => {
      const steps = streams.flatMap(({ stream, events }) => (events as readonly DomainEvent[]).map((event, at) => ({ stream, event, at })))
      return {
        workspaceId,
        contactId,
        campaignId,
        steps: steps.sort((a, b) => a.at - b.at).map(({ stream, event }) => ({ stream, event })),
      }
    }),
)

/** What is asked of the views about a life, by the names that its events have. */
const answers = async (of: ReturnType<typeof viewsOf>, { workspaceId, contactId, campaignId, steps }: Life) => {
  const emails = steps.flatMap(({ event }) => (event.type === 'SenderAddressConfigured' ? [event.data.email] : []))
  const names = steps.flatMap(({ event }) => (event.type === 'SmsSenderIdRequested' ? [event.data.senderId] : []))
  return {
    recipient: await of.recipients.find(workspaceId, contactId),
    status: await of.workspaces.status(workspaceId),
    tracks: await of.workspaces.tracks(workspaceId),
    marketing: await of.workspaces.marketing(workspaceId),
    mailSenders: await Promise.all(emails.map((email) => of.workspaces.senderStatus(workspaceId, email))),
    campaign: await of.campaigns.find(workspaceId, asCampaignId(campaignId)),
    smsSenders: await Promise.all(names.map((name) => of.senders.isApproved(workspaceId, name))),
    endpoints: [...(await of.endpoints.of(workspaceId)).values()].map(({ key: _, ...endpoint }) => endpoint),
    flows: [...(await of.flows.at(workspaceId, await log.head())).values()],
    credits: await of.credits.available(workspaceId),
  }
}

/** What the deciders, which alone change the streams, know of the same. */
const decided = async ({ workspaceId, contactId, steps }: Life) => {
  const commands = createCommandRunner({ log })
  const state = async <C, E extends DomainEvent, S>(decider: Decider<C, E, S>, stream: string): Promise<S> =>
    (await commands.load({ decider, stream, workspaceId })).state
  const person = await state(contact, contactStream(workspaceId, contactId))
  const space = await state(workspace, workspaceStream(workspaceId))
  const senders = await state(senderIds, senderIdsStream(workspaceId))
  const names = steps.flatMap(({ event }) => (event.type === 'SmsSenderIdRequested' ? [event.data.senderId] : []))
  return {
    recipient: !person.exists
      ? { exists: false }
      : {
          exists: true,
          email: person.email,
          emailSuppressed: person.suppressions.email.length > 0,
          smsSuppressed: person.suppressions.sms.length > 0,
          consents: person.consents,
          timezone: person.details.timezone,
          browsers: person.browsers,
        },
    status: space.status,
    tracks: space.settings.tracking,
    marketing: space.marketing,
    smsSenders: names.map((name) => senderIdNamed(senders, name)?.status === 'approved'),
    endpoints: (await state(webhooks, webhooksStream(workspaceId))).toSorted(byId),
    credits: availableCredits(await state(wallet, walletStream(workspaceId))),
  }
}

const byId = (a: Readonly<{ endpointId: string }>, b: Readonly<{ endpointId: string }>): number => (a.endpointId < b.endpointId ? -1 : 1)

/** The same out of what the views answer. */
const comparable = ({ recipient, status, tracks, marketing, smsSenders, endpoints, credits }: Awaited<ReturnType<typeof answers>>) => {
  const { exists, email, emailSuppressions, smsSuppressions, consents, timezone, browsers } = recipient
  const [emailSuppressed, smsSuppressed] = [emailSuppressions.length > 0, smsSuppressions.length > 0]
  return {
    recipient: exists ? { exists, email, emailSuppressed, smsSuppressed, consents, timezone, browsers } : { exists },
    ...{ status, tracks, marketing, smsSenders, credits },
    endpoints: endpoints.map(({ id, active }) => ({ endpointId: id, active })).toSorted(byId),
  }
}

const append = async ({ workspaceId, contactId }: Life, { stream, event }: Step): Promise<void> => {
  // The key goes before the end of the erasure is written.
  if (event.type === 'ContactErased') await keyRing.shred(workspaceId, contactSubject({ contactId }))
  const commandId = randomUUID()
  const context = { commandId, workspaceId, actor: 'test', requestId: 'r', at: '2026-11-28T12:00:00.000Z' }
  const { position } = await log.append(stream, 'any', [event], context)
  const isBehind = (): boolean => comparePositions(follower.position() ?? START, position) < 0
  while (isBehind()) await sleep(1)
}

test('every view hears of each event of its streams, an erasure too: what it answers is what it reads, and what the deciders know', {
  timeout: 600_000,
}, async () => {
  const types = new Set<string>()
  await fc.assert(
    fc.asyncProperty(lives, async (life) => {
      await answers(views, life)
      for (const step of life.steps) {
        await append(life, step)
        types.add(step.event.type)
        const now = await answers(views, life)
        expect(now, step.event.type).toEqual(await answers(viewsOf(log), life))
        expect(comparable(now), step.event.type).toEqual(await decided(life))
      }
    }),
    { numRuns: 4, endOnFailure: true },
  )
  expect([...types]).toContain('ContactErased')
})

test('what a view answers from memory is no promise: it was really in memory', async () => {
  const [workspaceId, contactId] = [asWorkspaceId(randomUUID()), asContactId(randomUUID())]
  const life = { workspaceId, contactId, campaignId: randomUUID(), steps: [] }
  const details = { firstName: null, lastName: null, timezone: null, locale: null, notes: null, tags: [], customProperties: {} }
  const data = { contactId, email: 'ada@example.com', emailClaimId: null, phone: null, phoneClaimId: null, source: 'test', ...details }
  await append(life, { stream: contactStream(workspaceId, contactId), event: { type: 'ContactCreated', data } })
  expect(views.recipients.find(workspaceId, contactId)).toMatchObject({ exists: true, email: 'ada@example.com' })
  await append(life, { stream: contactStream(workspaceId, contactId), event: { type: 'ContactErasureRequested', data: { contactId } } })
  expect(views.recipients.find(workspaceId, contactId)).toMatchObject({ exists: false, email: null })
})
