import type { VoiceCall, VoiceProvider } from '../voice/port.ts'
import { spokenMessage } from '../voice/spoken-message.ts'
import { createTwilioApi, type TwilioSettings } from './api.ts'
import { statusCallbackUrl } from './callbacks.ts'
import { twiml } from './twiml.ts'

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
