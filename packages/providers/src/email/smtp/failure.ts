import { DeliveryError } from '../../port.ts'
import { Throttled } from '../../throttle/throttled.ts'
import { classifyRefusal, type SmtpCommand } from './refusals.ts'
import type { Reply } from './reply-reader.ts'
import { throttledBy } from './throttling.ts'

/** The server's refusal of one step of a transaction. Without a reply it closed the session before it answered that step. */
export class SmtpRefusal extends Error {
  override readonly name = 'SmtpRefusal'
  readonly command: SmtpCommand
  readonly reply: Reply | undefined
  constructor(command: SmtpCommand, reply: Reply | undefined) {
    super(`the mail server answered ${command} with ${reply?.text ?? 'nothing'}`)
    this.command = command
    this.reply = reply
  }
}

/** What ended a transaction, as a failure of the mail. Anything but a reply is the connection: temporary. */
export function deliveryError(error: Error): DeliveryError {
  if (error instanceof DeliveryError) return error
  if (!(error instanceof SmtpRefusal)) return new DeliveryError('temporary', error.message)
  const { failure, saidByReceiver } = classifyRefusal(error.command, error.reply)
  const details = { response: error.reply?.text ?? null, saidByReceiver }
  const about = throttledBy(error.command, error.reply)
  return about === null ? new DeliveryError(failure, error.message, details) : new Throttled(error.message, { ...details, about })
}

/** True when the session is still usable after the failure: the server answered, and did not close the session (421). */
export function sessionSurvives(error: unknown): boolean {
  return error instanceof SmtpRefusal && (error.reply?.code ?? 0) >= 400 && error.reply?.code !== 421
}
