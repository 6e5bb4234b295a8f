import { DeliveryError } from '../port.ts'

/** What nodemailer's connection says about a failure: the command it happened at and the server's answer, if there was one. */
type SmtpFault = Readonly<{
  code?: string | undefined
  command?: string | undefined
  response?: string | undefined
  responseCode?: number | undefined
}>

const AFTER_SENDER = new Set(['RCPT TO', 'DATA'])

/** Sorts a failed SMTP exchange (decisions.md N171): who refused, and whether it may pass. */
export function deliveryError(error: Error & SmtpFault): DeliveryError {
  const { code, command = '', response, responseCode = 0 } = error
  const told = { response: response ?? null, saidByReceiver: responseCode >= 400 && AFTER_SENDER.has(command) }
  if (responseCode >= 500) return new DeliveryError(AFTER_SENDER.has(command) ? 'recipient' : 'refused', error.message, told)
  // Without an answer: what our side or the server's announced limits refuse will be refused again; all else is a connection.
  const final = responseCode === 0 && (code === 'EENVELOPE' || code === 'EMESSAGE')
  return new DeliveryError(final ? 'refused' : 'temporary', error.message, told)
}

/** True when the session is still usable after the failure: the server answered, and did not say goodbye (421). */
export const sessionSurvives = (error: SmtpFault): boolean =>
  (error.responseCode ?? 0) >= 400 && error.responseCode !== 421 && error.command !== 'CONN'
