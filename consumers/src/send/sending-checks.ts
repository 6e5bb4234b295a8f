import { type MaybePromise, whenKnown } from '@tidings/async'
import type { Recorded } from '@tidings/codec'
import type {
  ContactId,
  EmailAccepted,
  MarketingRules,
  MessageCommand,
  PushAccepted,
  SmsAccepted,
  WorkspaceId,
  WorkspaceStatus,
} from '@tidings/domain'
import type { Deferral } from '@tidings/jobs'
import type { Recipient } from '../views/recipient-view.ts'
import type { WorkspaceView } from '../views/workspace-view.ts'
import type { Block } from './call-provider.ts'
import { type AddressNow, judgedAt } from './given-up-address.ts'
import { addressBlock } from './handed-to.ts'
import type { Accepted } from './history.ts'
import { type Judge, type Judged, marketingBlock, marketingGate } from './marketing-checks.ts'
import { blockedBy, smsBlockedBy } from './suppression-checks.ts'

/** Judges one channel, in the order of D12. */
type ChannelGate<ChannelJudge, One extends Accepted> = (
  gates: ChannelJudge,
  { accepted, to }: CheckedMessage<One>,
  marketing: MarketingLook,
) => MaybePromise<Block | null>
/** `to`: the address that the message was built for, null before that. */
type CheckedMessage<One extends Accepted> = Readonly<{ accepted: Recorded<One>; to: string | null }>
type MarketingLook = (judged: Judged) => MaybePromise<Block | null>
type Channel<ChannelJudge, One extends Accepted> = Readonly<{
  early: (gates: ChannelJudge, accepted: Recorded<One>) => MaybePromise<Block | null>
  atFence: (gates: ChannelJudge, accepted: Recorded<One>, to?: string | null) => MaybePromise<Block | null>
}>

/**
 * A channel's gates are judged early, so that what cannot leave waits for no provider, and once more in the fence, when the provider is free for the
 * message (M43). A recipient who passed the frequency cap early is counted, and not asked again. Where the views follow the log, neither costs a read.
 */
const judgedTwice = <ChannelJudge extends Judge, One extends Accepted>(
  gate: ChannelGate<ChannelJudge, One>,
): Channel<ChannelJudge, One> => ({
  early: (gates, accepted) => gate(gates, { accepted, to: null }, (judged) => marketingBlock(gates, judged)),
  atFence: (gates, accepted, to = null) => gate(gates, { accepted, to }, (judged) => marketingGate(gates, judged)),
})

/** What messages of every channel are judged by. */
export type Gates = Omit<Judge, 'workspaces'> &
  Readonly<{
    recipients: Readonly<{ find: (workspaceId: WorkspaceId, contactId: ContactId) => Recipient | Promise<Recipient> }>
    workspaces: Readonly<{
      status: (workspaceId: WorkspaceId) => WorkspaceStatus | Promise<WorkspaceStatus>
      marketing: (workspaceId: WorkspaceId) => MarketingRules | Promise<MarketingRules>
    }>
    suspended: Readonly<{ putOff: (workspaceId: WorkspaceId) => Promise<Deferral> }>
  }>

type OfAddresses = Gates & Readonly<{ addressNow?: AddressNow | undefined }>
export type EmailGates = OfAddresses & Readonly<{ workspaces: Pick<WorkspaceView, 'senderStatus' | 'marketing'> }>
export type SmsGates = OfAddresses &
  Readonly<{ senderIds: Readonly<{ isApproved: (workspaceId: WorkspaceId, name: string) => boolean | Promise<boolean> }> }>

/** Suppression first; then the sender, which is refused where a blocklist has its domain. */
export const emailGates = judgedTwice<EmailGates, EmailAccepted>((gates, { accepted, to }, marketing) => {
  const { meta, data } = accepted
  return whenKnown(gates.recipients.find(meta.workspaceId, data.contactId), (recipient) =>
    whenKnown(gates.workspaces.senderStatus(meta.workspaceId, data.fromEmail), (sender) =>
      sender === 'suspended'
        ? gates.suspended.putOff(meta.workspaceId)
        : whenKnown(
            judgedAt(gates.addressNow, accepted, recipient),
            (judged) => blockedBy(judged, sender) ?? addressBlock(data, recipient, to) ?? marketing({ accepted, recipient }),
          ),
    ),
  )
})

/** The same for a text message. */
export const smsGates = judgedTwice<SmsGates, SmsAccepted>((gates, { accepted, to }, marketing) => {
  const { recipients, senderIds, workspaces, suspended, addressNow } = gates
  const { workspaceId } = accepted.meta
  const { contactId, from } = accepted.data
  return whenKnown(recipients.find(workspaceId, contactId), (recipient) =>
    whenKnown(workspaces.status(workspaceId), (status) => {
      if (status === 'suspended') return suspended.putOff(workspaceId)
      const isClosed = status === 'closed'
      return whenKnown(senderIds.isApproved(workspaceId, from), (isApproved) =>
        whenKnown(
          judgedAt(addressNow, accepted, recipient),
          (judged) =>
            smsBlockedBy(judged, { isClosed, isApproved }) ??
            addressBlock(accepted.data, recipient, to) ??
            marketing({ accepted, recipient }),
        ),
      )
    }),
  )
})

const UNDELIVERABLE: MessageCommand = { type: 'RecordFailed', data: { reason: 'undeliverable', detail: null } }

/** The same for a push, which has no sender. */
export const pushGates = judgedTwice<Gates, PushAccepted>(({ recipients, workspaces, suspended }, { accepted }, marketing) => {
  const { workspaceId } = accepted.meta
  return whenKnown(recipients.find(workspaceId, accepted.data.contactId), (recipient) =>
    whenKnown(workspaces.status(workspaceId), (status) => {
      if (status === 'suspended') return suspended.putOff(workspaceId)
      return status === 'closed' || !recipient.exists ? UNDELIVERABLE : marketing({ accepted, recipient })
    }),
  )
})
