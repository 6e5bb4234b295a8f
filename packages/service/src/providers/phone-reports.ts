import { createHash } from 'node:crypto'
import { uuidv7 } from '@tidings/codec'
import type { InboundSms, SmsProviderOptions } from '@tidings/providers'
import { storeParts, takePartReceipt } from '@tidings/receipts'
import type { CommandSide } from '../command-side/command-side.ts'
import type { Stores } from '../stores/open-stores.ts'

/** What a provider reports over its own connection (SMPP), by its label. All must have stored it when they resolve. */
export type PhoneReports = (provider: string) => Readonly<{
  onSubmitted: NonNullable<SmsProviderOptions['onSubmitted']>
  onReceipt: NonNullable<SmsProviderOptions['onReceipt']>
  onInbound: NonNullable<SmsProviderOptions['onInbound']>
}>

/** The same parts of the command side as the routes of Twilio use. A rejection makes the SMSC deliver again. */
export function createPhoneReports({ workPool: pool, log }: Stores, { commands, dependencies: { phone } }: CommandSide): PhoneReports {
  return (provider) => ({
    onSubmitted: (sms) => storeParts(pool, sms, provider),
    onReceipt: async (receipt) => {
      const outcome = await takePartReceipt({ pool, log, runner: commands, provider }, receipt)
      phone.countReceipt(outcome ?? 'unknown_message')
      return outcome === null ? 'unknown' : 'taken'
    },
    onInbound: async (sms) => {
      const outcome = await phone.takeInbound({ ...sms, id: inboundId(sms), isIdGuessed: true, requestId: uuidv7() })
      phone.countInbound(outcome)
    },
  })
}

/** SMPP gives no id: the same text between the same numbers in the same minute is the same message. */
function inboundId({ from, to, body, at }: InboundSms): string {
  return createHash('sha256')
    .update([from, to, body, at.slice(0, 'YYYY-MM-DDTHH:MM'.length)].join('\0'))
    .digest('hex')
}
