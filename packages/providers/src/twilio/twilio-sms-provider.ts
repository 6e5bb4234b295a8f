import { gatewaySender, type SmsMessage, type SmsProvider } from '../sms/port.ts'
import { createTwilioApi, type TwilioSettings } from './api.ts'
import { statusCallbackUrl } from './callbacks.ts'

/** Text messages through an API that speaks Twilio's. The provider's id of a message is its SID. */
export function createTwilioSmsProvider(settings: TwilioSettings): SmsProvider {
  const api = createTwilioApi('Messages', settings)
  const formOf = (message: SmsMessage) => ({
    To: message.to,
    From: gatewaySender(message),
    Body: message.body,
    StatusCallback: statusCallbackUrl(settings.publicUrl, message),
  })
  return {
    name: 'twilio',
    callMs: api.callMs,
    send: (message, options) => {
      const { workspaceId, to, from, body, ownNumber } = message
      return api.create({ workspaceId, to, from, text: body, form: () => formOf(message), ...(ownNumber && { ownNumber }) }, options)
    },
    outage: api.outage,
    close: api.close,
  }
}
