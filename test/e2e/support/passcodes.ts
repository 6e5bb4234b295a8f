import { dataOf } from './answers.ts'
import type { Answer, Client } from './client.ts'
import type { World } from './world.ts'

export type OtpSent = Readonly<{ verificationId: string; channel: 'sms' | 'voice'; expiresInSeconds: number; segments: number }>
export type OtpResult = Readonly<{ verified: boolean; reason?: string }>

/** A message to a phone as the development outbox shows it. */
export type SentToPhone = Readonly<{ id: string; channel: string; to: string; from: string; body: string; messageId: string }>

/** What a workspace file needs for passcodes. */
export const SENDERS = 'smsSenderIds: [{ id: Acme, status: approved }, { id: Second, status: approved }, { id: Later, status: pending }]'

/** Passcodes of one workspace. */
export function passcodesOf(client: Client) {
  const ask = (body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer> =>
    client.request('POST', '/otp/send', body, headers)
  return {
    ask,
    send: async (phone: string, more: Readonly<Record<string, unknown>> = {}): Promise<OtpSent> =>
      dataOf<OtpSent>(await ask({ phone, ...more }), 200),
    verify: async (verificationId: string, code: string): Promise<OtpResult> =>
      dataOf<OtpResult>(await client.request('POST', '/otp/verify', { verificationId, code }), 200),
  }
}

/** The newest message to that number. */
export async function lastTo({ url }: Pick<World, 'url'>, channel: 'sms' | 'voice', to: string): Promise<SentToPhone> {
  const response = await fetch(`${url}/dev/outbox?channel=${channel}&to=${encodeURIComponent(to)}`)
  const [newest] = ((await response.json()) as { items: readonly SentToPhone[] }).items
  if (newest === undefined) throw new Error(`the outbox has nothing for ${to}`)
  return newest
}

/** The code in a text, its digits apart or not. */
export function codeIn(text: string): string {
  const code = /(?:\d ?){6}/.exec(text)?.[0].replaceAll(' ', '')
  if (code?.length !== 6) throw new Error('there is no code in the text')
  return code
}

/** Another code, as long. */
export function wrongFor(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0')
}

let numbers = 0
/** A number that no other test of this file has. */
export function newNumber(): string {
  return `+97250${String(1_000_000 + numbers++)}`
}
