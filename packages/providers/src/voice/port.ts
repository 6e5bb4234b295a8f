import type { MessageId, WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'
import type { SendOptions } from '../port.ts'
import type { TakenMessage } from '../taken.ts'

/** A spoken passcode: `message` holds `{{code}}`, which is read digit by digit, twice, in `locale` (`he`, `en-GB`). `to`: E.164. */
export type VoiceCall = Readonly<{
  workspaceId: WorkspaceId
  messageId: MessageId
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
  call: (call: VoiceCall, options: SendOptions) => Promise<TakenMessage>
  /** Why no call can be made at all, null while it can. The provider notices by itself when that is over. */
  outage: () => string | null
  close: () => Promise<void>
}>

/** What a provider of calls is opened with; as for text messages. */
export type VoiceProviderOptions = Readonly<{
  provider: string
  publicUrl: string
  pool: Pool
  callMs?: number
  onOutage?: (reason: string | null) => void
}>

/** The message with its code digit by digit. `between` separates the digits; a comma makes a voice pause. */
export function spokenMessage({ message, code }: Readonly<{ message: string; code: string }>, between: ' ' | ', '): string {
  return message.replaceAll('{{code}}', () => [...code].join(between))
}
