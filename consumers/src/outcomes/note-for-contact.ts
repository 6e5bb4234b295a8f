import type { Recorded } from '@tidings/codec'
import type { CommandExecutor } from '@tidings/commands'
import { type ContactCommand, type ContactId, contact, contactStream, type MessageEvent, Refused } from '@tidings/domain'

type Runner = Readonly<{ commands: CommandExecutor }>
type Note = Readonly<{ contactId: ContactId; command: ContactCommand; cause: Recorded<MessageEvent>; what: string }>

/** Executes one consequence of an event for a contact. The command's id comes from the event and `what`: twice is once. A contact that is gone has none. */
export async function noteForContact({ commands }: Runner, { contactId, command, cause, what }: Note): Promise<void> {
  const { workspaceId, requestId, at } = cause.meta
  const context = { commandId: `${cause.id}:${what}`, workspaceId, actor: 'pipeline', requestId, causationId: cause.id, at }
  try {
    await commands.execute({ decider: contact, stream: contactStream(workspaceId, contactId), command, context })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
  }
}
