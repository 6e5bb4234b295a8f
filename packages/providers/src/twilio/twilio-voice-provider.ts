import type { VoiceCall, VoiceProvider } from '../voice/port.ts'
import { spokenMessage } from '../voice/spoken-message.ts'
import { createTwilioApi, type TwilioSettings } from './api.ts'
import { statusCallbackUrl } from './callbacks.ts'
import { twiml } from './twiml.ts'

/** Calls through an API that speaks Twilio's. The provider's id of a call is its SID. */
export function createTwilioVoiceProvider(settings: TwilioSettings): VoiceProvider {
  const api = createTwilioApi('Calls', settings)
  const { publicUrl, account } = settings
  const formOf = (call: VoiceCall) => ({
    To: call.to,
    // A name cannot call: where the sender is one, the configured number does.
    From: call.from.startsWith('+') ? call.from : (account.callerId ?? call.from),
    Twiml: twiml(call),
    StatusCallback: statusCallbackUrl(publicUrl, call),
  })
  return {
    name: 'twilio',
    callMs: api.callMs,
    call: (call, options) => api.create({ workspaceId: call.workspaceId, form: formOf(call), text: spokenMessage(call, ', ') }, options),
    outage: api.outage,
    close: api.close,
  }
}
