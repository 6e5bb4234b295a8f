import { randomUUID } from 'node:crypto'
import type { CommandExecutor, StateLoader } from '@tidings/commands'
import { type MessageId, message, messageStream, type WorkspaceId } from '@tidings/domain'
import { applyReceipt, findMessages, type MessageLookup, unsubscribeContact } from '@tidings/receipts'
import { type MailReading, readReport, type StoredMail } from '@tidings/receipts/mailbox'

/** The end of a mail: its receipt was taken in this way, or it has none for this reason. */
export type MailOutcome =
  | 'applied'
  | 'unsubscribed'
  | 'repeated'
  | 'unknown_message'
  | Exclude<MailReading['kind'], 'report' | 'unsubscribe'>

export type TakingMail = Readonly<{
  commands: CommandExecutor & StateLoader
  lookup: MessageLookup
  returnPaths: Readonly<{
    messageIn: (texts: readonly string[]) => MessageId | null
    unsubscribedIn: (texts: readonly string[]) => MessageId | null
  }>
  /** ISO with milliseconds: the time of receipt is stored, not that of the mail (M12). */
  now: () => string
}>

/** The read side does not show the message yet, and it may be in the log (M30). */
class MessageNotShown extends Error {
  override readonly name = 'MessageNotShown'
  readonly retryable = true
}

/** Takes one mail through the code path of receipts. The same mail taken again changes nothing. */
export async function takeMail(taking: TakingMail, { raw }: StoredMail): Promise<MailOutcome> {
  const { commands, lookup, returnPaths, now } = taking
  const reading = await readReport(raw, returnPaths)
  if (reading.kind !== 'report' && reading.kind !== 'unsubscribe') return reading.kind
  const { messageId } = reading
  const [found = 'unknown'] = await findMessages(lookup, [{ messageId }])
  if (found === 'unknown') return 'unknown_message'
  if (found === 'behind') throw new MessageNotShown('the message of a bounce is not shown yet')
  if (reading.kind === 'unsubscribe') return await unsubscribe(taking, found, reading.mailId)
  return (await applyReceipt(commands, { ...reading.reported, ...found, at: now(), requestId: randomUUID() })).outcome
}

/** Withdraws the consent of a message's recipient, who asked for it by mail (M53). The command's id follows from the mail, so a mail counts once. */
async function unsubscribe(
  { commands, now }: TakingMail,
  of: Readonly<{ workspaceId: WorkspaceId; messageId: MessageId }>,
  mailId: string,
): Promise<MailOutcome> {
  const { workspaceId, messageId } = of
  const { state } = await commands.load({ decider: message, stream: messageStream(workspaceId, messageId), workspaceId })
  const { contactId } = state
  if (contactId === null || contactId === '') return 'unknown_message'
  const source = 'unsubscribe_mail'
  const evidence = { source, ip: null, userAgent: null, requestId: randomUUID(), commandId: `${messageId}:${source}:${mailId}` } as const
  const position = await unsubscribeContact({ commands, now }, { workspaceId, messageId, contactId }, evidence)
  return position === null ? 'unknown_message' : 'unsubscribed'
}
