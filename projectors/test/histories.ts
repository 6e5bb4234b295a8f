import {
  activityStream,
  asCampaignId,
  asContactId,
  asListId,
  asMessageId,
  asTemplateId,
  asWorkspaceId,
  campaignStream,
  contactStream,
  customEventStream,
  customFieldStream,
  type DomainEvent,
  enrolmentStream,
  flowsStream,
  listStream,
  membersStream,
  messageStream,
  pushSubscriptionStream,
  senderIdsStream,
  signUpStream,
  tagsStream,
  templateStream,
  userStream,
  type WorkspaceId,
  walletStream,
  webhooksStream,
  workspaceStream,
} from '@tidings/domain'
import fc from 'fast-check'
import { activityLife } from './activity-events.ts'
import { contactLife } from './contact-events.ts'
import { enrolmentLife, FLOW_ID, flowsLife } from './flow-events.ts'
import { listLife, membersLife } from './list-events.ts'
import { campaignLife, customEventLife, customFieldLife, senderIdsLife } from './lookup-events.ts'
import { messageLife } from './message-events.ts'
import { pushSubscriptionLife } from './push-events.ts'
import { signUpLife } from './sign-up-events.ts'
import { tagsLife } from './tag-events.ts'
import { userLife } from './user-events.ts'
import { walletLife } from './wallet-events.ts'
import { webhooksLife } from './webhook-events.ts'
import { templateLife, workspaceLife } from './workspace-events.ts'

/** One append: an event of a stream, at a time. */
export type Step = Readonly<{ workspaceId: WorkspaceId; stream: string; event: DomainEvent; at: string }>

/** Streams as their deciders could have written them, of two workspaces, in any order that keeps each stream's own. */
export const histories: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.uuid().map(asWorkspaceId), fc.uuid().map(asWorkspaceId))
  .chain(([one, other]) => fc.array(fc.oneof(...[one, other].map(streamOf)), { minLength: 8, maxLength: 40 }))
  .chain((streams) => fc.tuple(fc.constant(streams), fc.array(fc.nat(), { minLength: 60, maxLength: 60 })))
  .map(([streams, choices]) => interleave(streams, choices))

type Stream = Readonly<{ workspaceId: WorkspaceId; stream: string; events: readonly DomainEvent[] }>

const SHARED_LIST = '5f0e7e3a-7b52-4a3c-9d5e-0d3a6a6f0c01'
const OTHER_LIST = '5f0e7e3a-7b52-4a3c-9d5e-0d3a6a6f0c02'

const streamOf = (workspaceId: WorkspaceId): fc.Arbitrary<Stream> =>
  fc.oneof(
    fc.uuid().chain((id) => named(contactLife(asContactId(id)), { workspaceId, stream: contactStream(workspaceId, asContactId(id)) })),
    fc.uuid().chain((id) => named(messageLife(asMessageId(id)), { workspaceId, stream: messageStream(workspaceId, asMessageId(id)) })),
    fc.uuid().chain((id) => named(templateLife(asTemplateId(id)), { workspaceId, stream: templateStream(workspaceId, asTemplateId(id)) })),
    fc.uuid().chain((id) => named(listLife(asListId(id)), { workspaceId, stream: listStream(workspaceId, asListId(id)) })),
    fc.uuid().chain((id) => named(campaignLife(asCampaignId(id)), { workspaceId, stream: campaignStream(workspaceId, asCampaignId(id)) })),
    fc.uuid().chain((id) => named(customFieldLife(id), { workspaceId, stream: customFieldStream(workspaceId, id) })),
    fc.uuid().chain((id) => named(customEventLife(id), { workspaceId, stream: customEventStream(workspaceId, id) })),
    fc.uuid().chain((id) => named(userLife(id), { workspaceId, stream: userStream(workspaceId, id) })),
    fc.uuid().chain((id) => named(signUpLife(id), { workspaceId, stream: signUpStream(workspaceId, id) })),
    fc.uuid().chain((id) => named(activityLife(id), { workspaceId, stream: activityStream(workspaceId, id) })),
    fc
      .tuple(fc.uuid(), fc.stringMatching(/^[0-9a-f]{64}$/))
      .chain(([id, hash]) => named(pushSubscriptionLife(hash, id), { workspaceId, stream: pushSubscriptionStream(workspaceId, hash) })),
    // Two buckets of the same list may occur: they share its counter.
    fc.tuple(fc.constantFrom(SHARED_LIST, OTHER_LIST), fc.nat(0xffff)).chain(([id, n]) =>
      named(membersLife(asListId(id)), {
        workspaceId,
        stream: membersStream(workspaceId, asListId(id), n.toString(16).padStart(4, '0')),
      }),
    ),
    fc
      .uuid()
      .chain((id) =>
        named(enrolmentLife(asContactId(id)), { workspaceId, stream: enrolmentStream(workspaceId, FLOW_ID, asContactId(id)) }),
      ),
    // One stream a workspace: each life is another workspace.
    fc
      .uuid()
      .map(asWorkspaceId)
      .chain((id) => named(senderIdsLife, { workspaceId: id, stream: senderIdsStream(id) })),
    fc
      .uuid()
      .map(asWorkspaceId)
      .chain((id) => named(flowsLife, { workspaceId: id, stream: flowsStream(id) })),
    fc
      .uuid()
      .map(asWorkspaceId)
      .chain((id) => named(tagsLife, { workspaceId: id, stream: tagsStream(id) })),
    fc
      .uuid()
      .map(asWorkspaceId)
      .chain((id) => named(walletLife, { workspaceId: id, stream: walletStream(id) })),
    fc
      .uuid()
      .map(asWorkspaceId)
      .chain((id) => named(webhooksLife, { workspaceId: id, stream: webhooksStream(id) })),
    fc
      .uuid()
      .map(asWorkspaceId)
      .chain((id) => named(workspaceLife(id), { workspaceId: id, stream: workspaceStream(id) })),
  )

const named = (events: fc.Arbitrary<readonly DomainEvent[]>, of: Omit<Stream, 'events'>): fc.Arbitrary<Stream> =>
  events.map((all) => ({ ...of, events: all }))

const FIRST_MOMENT = Date.UTC(2026, 0, 1)

/** Takes the next event of some stream, again and again; `choices` says of which. Times grow along the log. */
const interleave = (streams: readonly Stream[], choices: readonly number[]): readonly Step[] => {
  const open = streams.map((stream) => ({ ...stream, events: [...stream.events] })).filter(({ events }) => events.length > 0)
  const steps: Step[] = []
  for (let n = 0; open.length > 0; n++) {
    const at = (choices[n % choices.length] ?? 0) % open.length
    const stream = open[at]
    const event = stream?.events.shift()
    if (stream === undefined || event === undefined) open.splice(at, 1)
    else steps.push({ workspaceId: stream.workspaceId, stream: stream.stream, event, at: new Date(FIRST_MOMENT + n * 1_001).toISOString() })
  }
  return steps
}
