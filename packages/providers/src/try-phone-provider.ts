/** Tries the SMS provider of an address as sending uses it, and sends nothing. Throws one sentence where no text message could leave. */
export async function trySmsProvider(address: string, callMs: number): Promise<string> {
  if (address.startsWith('twilio://')) return await tryTwilio(address, { resource: 'Messages', what: 'SMS', callMs })
  return await (await import('./smpp/try-smsc.ts')).trySmsc(address, callMs)
}

/** The same for calls. */
export async function tryVoiceProvider(address: string, callMs: number): Promise<string> {
  return await tryTwilio(address, { resource: 'Calls', what: 'voice', callMs })
}

const tryTwilio = async (...args: Parameters<typeof import('./twilio/try-twilio.ts').tryTwilio>): Promise<string> =>
  (await import('./twilio/try-twilio.ts')).tryTwilio(...args)
