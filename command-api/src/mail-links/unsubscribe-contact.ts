import { SubjectErased, uuidv7 } from '@tidings/codec'
import { contact, contactStream, Refused } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { Dependencies } from '../dependencies.ts'
import type { Saying } from './posted-form.ts'

type Of = Readonly<{ workspaceId: string; contactId: string; messageId: string }>
type Evidence = Readonly<{ source: NonNullable<Saying>; ip: string; userAgent: string | null; requestId: string }>

/**
 * Unsubscribes a contact from email; answers with where to wait for the read side. Somebody who is unsubscribed already is heard once more
 * for each mail and way of saying it, and not again: who has the mail could repeat it for ever. Nobody there is nobody to write to.
 */
export const unsubscribeContact = async (
  { commands, now }: Pick<Dependencies, 'commands' | 'now'>,
  { workspaceId, contactId, messageId }: Of,
  { source, ip, userAgent, requestId }: Evidence,
): Promise<Position | null> => {
  const stream = contactStream(workspaceId, contactId)
  const { state } = await commands.load({ decider: contact, stream, workspaceId })
  if (!state.exists) return null
  const commandId = state.consents.email === 'unsubscribed' ? `${messageId}:${source}` : uuidv7()
  try {
    const { position } = await commands.execute({
      decider: contact,
      stream,
      command: {
        type: 'RecordConsent',
        data: { contactId, consents: [{ channel: 'email', status: 'unsubscribed', source, ip, userAgent }] },
      },
      context: { commandId, workspaceId, actor: 'recipient', requestId, at: now() },
    })
    return position
  } catch (error) {
    if (error instanceof SubjectErased || (error instanceof Refused && error.code === 'contact_not_found')) return null
    throw error
  }
}
