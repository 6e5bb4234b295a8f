import { pause } from '@tidings/async'
import { DeliveryError } from '../port.ts'
import { Slots } from '../queue/slots.ts'
import type { InboundSms, PartReceipt, SmsMessage, SmsProvider, SubmittedSms } from '../sms/port.ts'
import { SendThrottle } from '../throttle/send-throttle.ts'
import { Deliveries } from './deliveries.ts'
import { SmppLink } from './link.ts'
import { openConnection } from './open-connection.ts'
import { smscAddress } from './settings.ts'
import { submitMessage } from './submit.ts'

/**
 * `url` as `smscAddress` reads it; `callMs` for connecting and for each answer; `ca` for an SMSC whose certificate the system's
 * authorities did not sign. `onSubmitted` must have stored what the SMSC took when it resolves: a receipt says `unknown` until then.
 * `onReceipt` and `onInbound` must have recorded what they got when they resolve: the SMSC drops it then, and repeats it where they reject.
 * `onOutage` gets the reason once when an outage begins, and null when it is over.
 */
export type SmppSettings = Readonly<{
  url: string
  callMs: number
  ca?: string
  onSubmitted?: (sms: SubmittedSms) => Promise<void>
  onReceipt?: (receipt: PartReceipt) => Promise<'taken' | 'unknown'>
  onInbound?: (message: InboundSms) => Promise<void>
  onOutage?: (why: string | null) => void
  onWarning?: (sentence: string) => void
}>

/** Receipts and inbound messages whose callbacks run at once; the SMSC is asked to repeat one more. */
const MAX_DELIVERIES = 100

const ignore = async (): Promise<void> => undefined
const ignoreReceipt = async () => 'taken' as const

/**
 * Text messages over SMPP 3.4. Binds as transceiver at once, since receipts come without a send, and keeps the session bound. The provider's
 * id of a message is the SMSC's ids of its parts with commas. Throws one sentence for an address it cannot use.
 */
export function createSmppProvider(settings: SmppSettings): SmsProvider {
  const { callMs, ca, onSubmitted = ignore, onReceipt = ignoreReceipt, onInbound = ignore } = settings
  const { onOutage = () => undefined, onWarning = () => undefined } = settings
  const address = smscAddress(settings.url)
  const outstanding = new Set<Promise<unknown>>()
  /** Those of them that have left, until they are answered: a receipt can be of no other. */
  const submitted = new Set<Promise<void>>()
  const settled = (sends: ReadonlySet<Promise<unknown>>) => Promise.allSettled([...sends])
  /** An answer comes in that time, or not at all; a message in many parts may take longer. */
  const answered = async (): Promise<void> => {
    const isOver = new AbortController()
    await Promise.race([settled(submitted), pause(callMs, isOver.signal)])
    isOver.abort()
  }
  const deliveries = new Deliveries({
    settled: answered,
    onReceipt,
    onInbound,
    warn: onWarning,
    optOutErrors: address.optOut.errors,
    country: address.country,
  })
  const opening = { address, callMs, maxDeliveries: MAX_DELIVERIES, deliver: deliveries.take.bind(deliveries), ...(ca && { ca }) }
  const link = new SmppLink({ open: (signal) => openConnection(opening, signal), onOutage })
  const window = new Slots({ slots: address.window, carriesPasscodes: true })
  const submitting = { link, window, throttle: new SendThrottle(callMs / 40), throttleMs: callMs / 2, optOut: address.optOut }
  const submit = async (message: SmsMessage, options: Parameters<SmsProvider['send']>[1]) => {
    const partIds = await submitMessage(submitting, message, options)
    const { workspaceId, messageId } = message
    // It has left, whatever is known of its parts.
    await onSubmitted({ workspaceId, messageId, partIds }).catch(() =>
      onWarning('The receipts of a message will find nothing: its ids could not be stored.'),
    )
    return { providerMessageId: partIds.join(','), response: 'ESME_ROK' }
  }
  return {
    name: 'smpp',
    callMs,
    outage: () => link.outage(),
    send: async (message, options) => {
      const why = link.outage()
      if (why !== null) throw new DeliveryError('outage', why)
      let leaving: PromiseWithResolvers<void> | undefined
      const isBack = () => {
        if (leaving === undefined) return
        leaving.resolve()
        submitted.delete(leaving.promise)
        leaving = undefined
      }
      const handedOver = () => {
        leaving ??= Promise.withResolvers<void>()
        submitted.add(leaving.promise)
        options.handedOver?.()
      }
      // Refused, and waiting for its next try: no receipt can be of it.
      const returned = () => {
        isBack()
        options.returned?.()
      }
      const sending = submit(message, { ...options, handedOver, returned })
      outstanding.add(sending)
      return await sending.finally(() => {
        isBack()
        outstanding.delete(sending)
      })
    },
    close: async () => {
      await link.close(() => settled(outstanding))
      deliveries.close()
    },
  }
}
