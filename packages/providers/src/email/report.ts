import { classifyRefusal } from '../smtp/refusals.ts'

/** What a provider reports of a mail. `providerMessageId`: what it calls the mail, or our Message-ID. */
export type MailReport = Readonly<{
  type: 'delivered' | 'bounced' | 'complained'
  providerMessageId: string
  to?: string
  hard?: boolean
  reason?: string
}>

/** As a report by mail of an unknown stage: only an enhanced code of the recipient's class is about the recipient (M59). */
export function isOfRecipient(code: number, text: string): boolean {
  return classifyRefusal('unknown', { code, text }).failure === 'recipient'
}
