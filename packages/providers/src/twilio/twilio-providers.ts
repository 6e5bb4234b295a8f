import { gatewaySender, type SmsMessage, type SmsProvider } from '../sms/port.ts'
import { spokenMessage, type VoiceCall, type VoiceProvider } from '../voice/port.ts'
import { createTwilioApi, type TwilioSettings } from './api.ts'
import { statusCallbackUrl } from './callbacks.ts'
import { twiml } from './twiml.ts'

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

/** Calls through an API that speaks Twilio's. The provider's id of a call is its SID. */
export function createTwilioVoiceProvider(settings: TwilioSettings): VoiceProvider {
  const api = createTwilioApi('Calls', settings)
  const { publicUrl, account } = settings
  // A name cannot call, and a number that takes texts may not be one that calls: where the sender is a name, the configured number does.
  const callerOf = ({ from }: VoiceCall): string => (from.startsWith('+') ? from : (account.callerId ?? from))
  const formOf = (call: VoiceCall) => ({
    To: call.to,
    From: callerOf(call),
    Twiml: twiml(call),
    StatusCallback: statusCallbackUrl(publicUrl, call),
  })
  return {
    name: 'twilio',
    callMs: api.callMs,
    call: (call, options) => {
      const { workspaceId, to } = call
      return api.create({ workspaceId, to, from: callerOf(call), text: spokenMessage(call, ', '), form: () => formOf(call) }, options)
    },
    outage: api.outage,
    close: api.close,
  }
}
