import type { Recorded, StreamReader } from '@tidings/codec'
import {
  type ActivityEvent,
  activityStream,
  type ContactEvent,
  type ContactId,
  type EnrolmentEvent,
  enrolmentStream,
  HIDDEN_SECRET,
  type PushSubscriptionEvent,
  pushSubscriptionStream,
  type SignUpEvent,
  signUpStream,
  type WorkspaceId,
} from '@tidings/domain'
import { actorName, consentAt } from '@tidings/evidence'
import { endedOf } from './ended-of.ts'
import type { MessagesOf } from './messages.ts'
import type { PersonStreams } from './person-streams.ts'

type Fields = Readonly<Record<string, unknown>>

/** One heading of the export: a single record, or items that are read while they are written. */
export type Section = Readonly<{ name: string; title: string }> &
  (Readonly<{ record: Fields }> | Readonly<{ items: AsyncIterable<Fields> | readonly Fields[] }>)

/** The knowledge about the person. `own`: the contact's stream. */
export type KnownPerson = Readonly<{
  log: StreamReader
  workspaceId: WorkspaceId
  contactId: ContactId
  own: readonly Recorded<ContactEvent>[]
  profile: Fields
  suppressions: readonly Fields[]
  lists: readonly Fields[]
  streams: PersonStreams
  messages: MessagesOf
}>

/** The sections in the order of D7; the last one tells how the profile came to be as it is. */
export function sectionsOf(known: KnownPerson): readonly Section[] {
  return [
    { name: 'profile', title: 'Profile', record: known.profile },
    { name: 'consent', title: 'Consent', items: consents(known) },
    { name: 'suppressions', title: 'Blocked channels', items: known.suppressions },
    { name: 'lists', title: 'Lists', items: known.lists },
    { name: 'messages', title: 'Messages', items: known.messages(known.streams.messages()) },
    { name: 'events', title: 'Events', items: events(known) },
    { name: 'pushSubscriptions', title: 'Browsers', items: browsers(known) },
    { name: 'flows', title: 'Flows', items: flows(known) },
    { name: 'changes', title: 'Changes of the profile', items: changes(known) },
  ]
}

/** The statements as `consent show` has them (D1). */
const consents = ({ own }: KnownPerson): readonly Fields[] => {
  const said = own.filter(({ type }) => type === 'ContactConsentRecorded')
  const history = consentAt(own, null)?.history ?? []
  return history.map(({ requestId: _, position: __, endedByRetention: ___, ...entry }, n) => ({
    ...entry,
    ...endedOf({ ended: said[n]?.ended }),
  }))
}

const CHANGES: readonly string[] = ['ContactCreated', 'ContactDetailsChanged', 'ContactEmailChanged', 'ContactPhoneChanged']

const changes = ({ own }: KnownPerson): readonly Fields[] =>
  own
    .filter(({ type }) => CHANGES.includes(type))
    .map(({ type, data: { contactId: _, ...data }, meta: { at, actor } }) => ({ at, actor: actorName(actor), type, ...data }))

async function* events({ log, workspaceId, streams }: KnownPerson): AsyncGenerator<Fields> {
  for await (const id of streams.activities())
    for (const { data } of await log.readStream<ActivityEvent>(workspaceId, activityStream(workspaceId, id), { pastLimits: true }))
      yield { id, event: data.event, source: data.source, occurredAt: data.occurredAt, properties: data.properties }
  for await (const id of streams.signUps())
    for (const { type, data, meta } of await log.readStream<SignUpEvent>(workspaceId, signUpStream(workspaceId, id), {
      pastLimits: true,
    })) {
      const said = type === 'FormSubmitted' ? { formId: data.formId, sourceUrl: data.sourceUrl, pending: data.pending } : {}
      yield { id, event: type === 'FormSubmitted' ? 'form_submitted' : 'sign_up_confirmed', source: 'form', occurredAt: meta.at, ...said }
    }
}

async function* browsers({ log, workspaceId, contactId, streams }: KnownPerson): AsyncGenerator<Fields> {
  for (const hash of streams.browsers) {
    const all = await log.readStream<PushSubscriptionEvent>(workspaceId, pushSubscriptionStream(workspaceId, hash), { pastLimits: true })
    for (const { type, data, meta, ended } of all) {
      if (data.contactId !== contactId) continue
      const { subscriptionId: id } = data
      if (type === 'PushSubscriptionRevoked') yield { id, at: meta.at, revoked: data.reason }
      else
        yield {
          id,
          at: meta.at,
          endpoint: data.endpoint,
          auth: data.auth === null ? null : HIDDEN_SECRET,
          browser: data.browser,
          platform: data.platform,
          userAgent: data.userAgent,
          ...endedOf({ ended }),
        }
    }
  }
}

async function* flows({ log, workspaceId, contactId, streams }: KnownPerson): AsyncGenerator<Fields> {
  for await (const flowId of streams.flows()) {
    const all = await log.readStream<EnrolmentEvent>(workspaceId, enrolmentStream(workspaceId, flowId, contactId), { pastLimits: true })
    for (const { type, data, meta } of all) {
      if (type === 'ContactEnteredFlow') yield { flowId, runId: data.runId, at: meta.at, entered: data.cause.type }
      if (type === 'ContactLeftFlow') yield { flowId, runId: data.runId, at: meta.at, left: data.reason }
    }
  }
}
