import { smsCredits, smsSegments } from '@tidings/domain'

const TOKEN = '{{code}}'
const DEFAULT_TEMPLATE = `Your verification code is ${TOKEN}`

/** `template` with the token: a call gets it with the code apart. `body`: the whole text, which must be stored nowhere (M7). */
export type PasscodeText = Readonly<{ template: string; body: string; segments: number; credits: number }>

/** `message`: the caller's template. */
export type PasscodeWording = Readonly<{ message: string | undefined; channel: 'sms' | 'voice'; code: string }>

/**
 * What is sent, and what it costs (POST /otp/send). A text message costs its price (G33), a call the segments of its text with the digits
 * apart (G34). A template without the token is not used.
 */
export function passcodeText({ message, channel, code }: PasscodeWording): PasscodeText {
  const template = message?.includes(TOKEN) ? message : DEFAULT_TEMPLATE
  const body = template.replaceAll(TOKEN, () => (channel === 'voice' ? [...code].join(' ') : code))
  const segments = smsSegments(body)
  return { template, body, segments, credits: channel === 'voice' ? segments : smsCredits(body) }
}
