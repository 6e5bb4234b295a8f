import { randomUUID } from 'node:crypto'
import { type MailReading, readReport, type StoredMail } from '@tidings/bounces'
import type { CommandRunner } from '@tidings/commands'
import type { ReturnPaths } from '@tidings/providers'
import { applyReceipt, findMessages, type MessageLookup } from '@tidings/receipts'

/** What became of a mail: how its receipt was taken, or why it has none. */
export type MailOutcome = 'applied' | 'repeated' | 'unknown_message' | Exclude<MailReading['kind'], 'report'>

export type TakingMail = Readonly<{
  runner: Pick<CommandRunner, 'execute'>
  lookup: MessageLookup
  returnPaths: Pick<ReturnPaths, 'messageIn'>
  /** ISO with milliseconds: the time of receipt is stored, not that of the mail (M12). */
  now: () => string
}>

/** The read side does not show the message yet, and it may be in the log (M30). */
class MessageNotShown extends Error {
  override readonly name = 'MessageNotShown'
  readonly retryable = true
}

/** Takes one mail through the code path of receipts. The same mail taken again changes nothing. */
export async function takeMail({ runner, lookup, returnPaths, now }: TakingMail, { raw }: StoredMail): Promise<MailOutcome> {
  const reading = await readReport(raw, returnPaths)
  if (reading.kind !== 'report') return reading.kind
  const { messageId, reported } = reading
  const [found = 'unknown'] = await findMessages(lookup, [{ messageId }])
  if (found === 'unknown') return 'unknown_message'
  if (found === 'behind') throw new MessageNotShown('the message of a bounce is not shown yet')
  return (await applyReceipt(runner, { ...reported, ...found, at: now(), requestId: randomUUID() })).outcome
}
