import { uuidv7 } from '@tidings/codec'
import type { CommandExecutor, StateLoader } from '@tidings/commands'
import {
  asMessageId,
  escapeHtml,
  ownValue,
  type WorkspaceCommand,
  type WorkspaceId,
  type WorkspaceState,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import type { Deferral, Job, Lease, Verdict } from '@tidings/jobs'
import type { Links } from '@tidings/mail-content'
import type { EmailMessage } from '@tidings/providers'
import type { Block } from '../send/call-provider.ts'
import { NOT_WANTED, nameInMail, type OwnMails, sendOwnMail, WHILE_SUSPENDED } from '../send/send-own-mail.ts'

/** `takeMailbox`: false where the mailbox was asked often enough today. */
export type Confirming = OwnMails &
  Readonly<{
    commands: CommandExecutor & StateLoader
    links: Pick<Links, 'verifyUrl'>
    takeMailbox: (email: string) => Promise<boolean>
  }>

const WHILE_CAPPED: Deferral = { type: 'Deferred', inMs: 3_600_000, counts: false, deferredFor: 'mailbox_capped' }

type Look = Readonly<{ type: 'Wanted'; wanted: PendingConfirmation; workspaceName: string }>
type PendingConfirmation = Readonly<{ addressId: string; email: string; confirmationId: string }>

/**
 * Asks the mailbox of a sender address by one mail: where it is still the newest one, not sent, not too late, and the address still pending.
 * A crash between the provider's yes and the append sends it again, under the same Message-ID.
 */
export async function sendConfirmation(confirming: Confirming, job: Job, lease: Lease, signal: AbortSignal): Promise<Verdict> {
  const { commands, provider, links, from, now } = confirming
  const { workspaceId } = job
  const look = await lookAt(confirming, job)
  if (look === 'done' || look.type === 'Deferred') return look
  const { wanted, workspaceName } = look
  const { addressId, email: to, confirmationId } = wanted
  // A repeated try was counted with the first. A confirmation that waits longer than its link is valid ends as unanswered.
  if (job.attempt === 0 && !(await confirming.takeMailbox(to))) return WHILE_CAPPED
  const record = async (command: WorkspaceCommand): Promise<'done'> => {
    const context = { commandId: uuidv7(), workspaceId, actor: 'service', requestId: confirmationId, at: now() }
    await commands.execute({ decider: workspace, stream: workspaceStream(workspaceId), command, context })
    return 'done'
  }
  const sent: WorkspaceCommand = { type: 'RecordConfirmationSent', data: { addressId, confirmationId } }
  const url = links.verifyUrl({ workspaceId, messageId: asMessageId(confirmationId), addressId })
  const mail = confirmationMail({ workspaceId, confirmationId, from, to, workspaceName, url })
  const ended = await sendOwnMail(confirming, {
    ...{ job, lease, signal },
    gate: () => gateOf(confirming, job),
    send: (options) => provider.send(mail, options),
  })
  if (ended === null) return 'done'
  if (typeof ended !== 'string') return ended
  if (ended === 'sent') return await record(sent)
  return await record({ type: 'FailSenderConfirmation', data: { confirmationId, reason: ended, at: now() } })
}

/** The mail to send now, another time for it, or `done` if it is not wanted any more. */
const lookAt = async ({ commands, now }: Confirming, { workspaceId, payload }: Job): Promise<Verdict | Look> => {
  const { state } = await commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  const wanted = wantedIn(state, payload, now())
  if (wanted === null || state.status === 'closed') return 'done'
  return state.status === 'suspended' ? WHILE_SUSPENDED : { type: 'Wanted', wanted, workspaceName: state.settings.name }
}

/** Checks at the hand-over (M43). Nothing is recorded of a mail that is not wanted any more. */
const gateOf = async (confirming: Confirming, job: Job): Promise<Block | null> => {
  const look = await lookAt(confirming, job)
  if (look === 'done') return NOT_WANTED
  return look.type === 'Deferred' ? look : null
}

/** Null where there is nothing to send any more. */
const wantedIn = ({ senderAddresses }: WorkspaceState, payload: string, at: string): PendingConfirmation | null => {
  const [addressId = '', confirmationId = ''] = payload.split(' ')
  const address = ownValue(senderAddresses, addressId)
  const confirmation = address?.confirmation
  if (!confirmation || confirmation.confirmationId !== confirmationId || confirmation.isSent) return null
  if (address.status !== 'pending' || at > confirmation.expiresAt || !address.email) return null
  return { addressId, email: address.email, confirmationId }
}

type ConfirmationMail = Readonly<{
  workspaceId: WorkspaceId
  confirmationId: string
  /** The operator's own address: none of the workspace's is proved before it, and its reputation is not the workspace's to use. */
  from: string
  to: string
  workspaceName: string
  url: string
}>

/** The mail that asks the mailbox of a sender address whether mail may come from it. The same at every attempt. */
function confirmationMail({ workspaceId, confirmationId, from, to, workspaceName, url }: ConfirmationMail): EmailMessage {
  const says = `${nameInMail(workspaceName)} wants to send email from ${to}.`
  return {
    workspaceId,
    messageId: asMessageId(confirmationId),
    requestId: confirmationId,
    from: { email: from, name: null },
    to,
    replyTo: null,
    subject: `Confirm ${to} as a sender address`,
    html: `<p>${escapeHtml(says)}</p>
<p><a href="${escapeHtml(url)}">Confirm the address</a></p>
<p>The link works for 7 days. If you did not expect this mail, do nothing: then no mail is sent from your address.</p>`,
    text: `${says}

Confirm the address: ${url}

The link works for 7 days. If you did not expect this mail, do nothing: then no mail is sent from your address.
`,
  }
}
