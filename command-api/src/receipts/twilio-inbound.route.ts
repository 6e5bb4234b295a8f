import { type App, invalidSignature } from '@tidings/http'
import { TWILIO_PATHS } from '@tidings/providers'
import type { Dependencies } from '../dependencies.ts'
import { callbackOf, callbackRoute } from './twilio-callback.ts'

/** TwiML that does nothing: an answer of ours goes out as a message. */
const NO_ANSWER = '<?xml version="1.0" encoding="UTF-8"?><Response></Response>'

/**
 * A text message that a person sent to a number of ours (O6, N188). Twilio's id of it is the same in every delivery. Once it is kept the
 * answer is 200, whatever becomes of it: Twilio repeats none.
 */
export function twilioInbound(app: App, { phone, now }: Pick<Dependencies, 'phone' | 'now'>): void {
  app.post(TWILIO_PATHS.inbound, callbackRoute('providers.twilioInbound'), async (request, reply) => {
    const read = phone.twilio.inbound(callbackOf(request), new Date(now()))
    if (read === null) throw invalidSignature()
    const { sms } = read
    const outcome = sms === null ? 'unreadable' : await phone.takeInbound({ ...sms, id: sms.providerMessageId, requestId: request.id })
    phone.countInbound(outcome)
    return reply.type('text/xml').send(NO_ANSWER)
  })
}
