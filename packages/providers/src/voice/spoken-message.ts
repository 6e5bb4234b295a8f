import type { VoiceCall } from './port.ts'

/** The message with its code digit by digit. `between` separates the digits; a comma makes a voice pause. */
export const spokenMessage = ({ message, code }: Pick<VoiceCall, 'message' | 'code'>, between: ' ' | ', '): string =>
  message.replaceAll('{{code}}', () => [...code].join(between))
