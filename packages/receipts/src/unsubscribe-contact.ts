import { SubjectErased, uuidv7 } from '@tidings/codec'
import type { CommandExecutor, StateLoader } from '@tidings/commands'
import { type ContactId, contact, contactStream, type MessageId, message, messageStream, Refused, type WorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'

/** The way in which a reader unsubscribes: their mail program, the page behind the link, a mail. */
export type UnsubscribeSource = 'one_click' | 'unsubscribe_link' | 'unsubscribe_mail'

type UnsubscribedMessage = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; messageId: MessageId }>
/** `commandId`: where the request is one that can come again as it was, as a mail does; it counts for a contact that is not unsubscribed. */
type Evidence = Readonly<{ source: UnsubscribeSource; ip: string | null; userAgent: string | null; requestId: string; commandId?: string }>

/**
 * Unsubscribes a contact from email; gives the position to wait for, null for a contact that is not there. A contact that is unsubscribed
 * already gets one more consent event for each mail and source: the holder of a mail can repeat the request without limit.
 */
export async function unsubscribeContact(
  { commands, now }: Readonly<{ commands: CommandExecutor & StateLoader; now: () => string }>,
  { workspaceId, contactId, messageId }: UnsubscribedMessage,
  { source, ip, userAgent, requestId, ...asked }: Evidence,
): Promise<Position | null> {
  const stream = contactStream(workspaceId, contactId)
  const { state } = await commands.load({ decider: contact, stream, workspaceId })
  if (!state.exists) return null
  const mail = await commands.load({ decider: message, stream: messageStream(workspaceId, messageId), workspaceId })
  const by = { messageId, campaign: mail.state.campaign }
  const commandId = state.consents.email === 'unsubscribed' ? `${messageId}:${source}` : (asked.commandId ?? uuidv7())
  try {
    const { position } = await commands.execute({
      decider: contact,
      stream,
      command: {
        type: 'RecordConsent',
        data: { contactId, consents: [{ channel: 'email', status: 'unsubscribed', source, ip, userAgent, message: by }] },
      },
      context: { commandId, workspaceId, actor: 'recipient', requestId, at: now() },
    })
    return position
  } catch (error) {
    if (error instanceof SubjectErased || (error instanceof Refused && error.code === 'contact_not_found')) return null
    throw error
  }
}
