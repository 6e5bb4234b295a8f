import { DeliveryError } from '../port.ts'
import type { Reply } from './reply-reader.ts'

export type SmtpCommand = 'MAIL FROM' | 'RCPT TO' | 'DATA'

/** The server's no to one step of a transaction. Without a reply it left before it had answered that step. */
export class SmtpRefusal extends Error {
  override readonly name = 'SmtpRefusal'
  readonly command: SmtpCommand
  readonly response: string | undefined
  readonly responseCode: number | undefined
  constructor(command: SmtpCommand, reply: Reply | undefined) {
    super(`the mail server answered ${command} with ${reply?.text ?? 'nothing'}`)
    this.command = command
    this.response = reply?.text
    this.responseCode = reply?.code
  }
}

/** What is known of a failure: the command it happened at and the server's answer, if there was one. Both `SmtpRefusal` and nodemailer say it so. */
type SmtpFault = Readonly<{
  code?: string | undefined
  command?: string | undefined
  response?: string | undefined
  responseCode?: number | undefined
}>

const AFTER_SENDER = new Set(['RCPT TO', 'DATA'])

/** Sorts a failed SMTP exchange (decisions.md N171): who refused, and whether it may pass. */
export function deliveryError(error: Error & SmtpFault): DeliveryError {
  if (error instanceof DeliveryError) return error
  const { code, command = '', response, responseCode = 0 } = error
  const told = { response: response ?? null, saidByReceiver: responseCode >= 400 && AFTER_SENDER.has(command) }
  if (responseCode >= 500) return new DeliveryError(AFTER_SENDER.has(command) ? 'recipient' : 'refused', error.message, told)
  // Without an answer: what our own settings make impossible will be so again; all else is a connection.
  const final = responseCode === 0 && (code === 'EENVELOPE' || code === 'EMESSAGE')
  return new DeliveryError(final ? 'refused' : 'temporary', error.message, told)
}

/** True when the session is still usable after the failure: the server answered, and did not say goodbye (421). */
export const sessionSurvives = (error: unknown): boolean =>
  error instanceof SmtpRefusal && (error.responseCode ?? 0) >= 400 && error.responseCode !== 421
