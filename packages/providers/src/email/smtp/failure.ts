import { DeliveryError } from '../port.ts'
import { type SmtpCommand, verdictOn } from './refusals.ts'
import type { Reply } from './reply-reader.ts'

/** The server's no to one step of a transaction. Without a reply it left before it had answered that step. */
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

/** Sorts what ended a transaction: who refused, and whether it may pass. Anything but an answer is a connection, which may. */
export function deliveryError(error: Error): DeliveryError {
  if (error instanceof DeliveryError) return error
  if (!(error instanceof SmtpRefusal)) return new DeliveryError('temporary', error.message)
  const { failure, saidByReceiver } = verdictOn(error.command, error.reply)
  return new DeliveryError(failure, error.message, { response: error.reply?.text ?? null, saidByReceiver })
}

/** True when the session is still usable after the failure: the server answered, and did not say goodbye (421). */
export const sessionSurvives = (error: unknown): boolean =>
  error instanceof SmtpRefusal && (error.reply?.code ?? 0) >= 400 && error.reply?.code !== 421
