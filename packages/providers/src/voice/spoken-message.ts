import type { VoiceCall } from './port.ts'

/** The message with its code digit by digit. `between` separates the digits; a comma makes a voice pause. */
export function spokenMessage({ message, code }: Pick<VoiceCall, 'message' | 'code'>, between: ' ' | ', '): string {
  return message.replaceAll('{{code}}', () => [...code].join(between))
}
