import { asMessageId, asWorkspaceId } from '@tidings/domain'
import { type Smsc, startSmsc } from '@tidings/testing/smsc'
import { onTestFinished } from 'vitest'
import type { SendOptions } from '../../src/port.ts'
import { createSmppProvider, type SmppSettings } from '../../src/smpp/smpp-provider.ts'
import type { InboundSms, PartReceipt, SmsMessage, SubmittedSms } from '../../src/sms/port.ts'

export const message: SmsMessage = {
  workspaceId: asWorkspaceId('0192b1f0-0000-7000-8000-000000000001'),
  messageId: asMessageId('0192b1f0-0000-7000-8000-00000000000a'),
  to: '+491701234567',
  from: 'Acme',
  body: 'Hello {name}, 5 € off',
}
/** Three parts. */
export const LONG = 'a'.repeat(400)

/** An SMSC that is stopped after the test. */
export async function smsc(...options: Parameters<typeof startSmsc>): Promise<Smsc> {
  const started = await startSmsc(...options)
  onTestFinished(started.stop)
  return started
}

/** A provider that is closed after the test, and what it called back with. */
export function opened(url: string, settings: Partial<SmppSettings> = {}) {
  const outages: (string | null)[] = []
  const submitted: SubmittedSms[] = []
  const receipts: PartReceipt[] = []
  const inbound: InboundSms[] = []
  const warnings: string[] = []
  const provider = createSmppProvider({
    url,
    callMs: 10_000,
    onOutage: (why) => void outages.push(why),
    onSubmitted: async (sms) => void submitted.push(sms),
    onReceipt: async (receipt) => {
      const isKnown = submitted.some(({ partIds }) => partIds.includes(receipt.partId))
      if (isKnown) receipts.push(receipt)
      return isKnown ? 'taken' : 'unknown'
    },
    onInbound: async (sms) => void inbound.push(sms),
    onWarning: (sentence) => void warnings.push(sentence),
    ...settings,
  })
  onTestFinished(() => provider.close())
  const send = (changes: Partial<SmsMessage> = {}, options: Partial<SendOptions> = {}) =>
    provider.send(
      { ...message, ...changes },
      { signal: new AbortController().signal, fence: () => undefined, priority: 'transactional', ...options },
    )
  return { provider, outages, submitted, receipts, inbound, warnings, send }
}

/** The deliver_sm of a receipt in the usual text form. */
export function receiptOf(id: string, stat: string, fields: Readonly<Record<string, unknown>> = {}) {
  return {
    source_addr_ton: 1,
    source_addr: '491701234567',
    destination_addr: 'Acme',
    esm_class: 4,
    short_message: `id:${id} sub:001 dlvrd:001 submit date:2611221200 done date:2611221201 stat:${stat} err:000 text:Hello`,
    ...fields,
  }
}

/** The deliver_sm of a message that a person sent. */
export function inboundOf(text: string | Buffer, fields: Readonly<Record<string, unknown>> = {}) {
  return {
    source_addr_ton: 1,
    source_addr: '491701234567',
    destination_addr: '4915200',
    dest_addr_ton: 1,
    short_message: text,
    ...fields,
  }
}
