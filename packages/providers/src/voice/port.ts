import type { SendOptions } from '../port.ts'
import type { Taken } from '../taken.ts'

/** A spoken passcode: `message` holds `{{code}}`, which is read digit by digit, twice, in `locale` (`he`, `en-GB`). `to`: E.164. */
export type VoiceCall = Readonly<{
  workspaceId: string
  messageId: string
  to: string
  from: string
  message: string
  code: string
  locale: string
}>

/** How calls are made. Throws `DeliveryError` and nothing else, besides what `fence` throws. */
export type VoiceProvider = Readonly<{
  name: string
  /** Longest time of one request for a call, in ms, from the fence on. The wait before it is not limited. */
  callMs: number
  call: (call: VoiceCall, options: SendOptions) => Promise<Taken>
  /** Why no call can be made at all, null while it can. The provider notices by itself when that is over. */
  outage: () => string | null
  close: () => Promise<void>
}>
