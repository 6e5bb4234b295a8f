import type { Pool } from 'pg'
import type { VoiceCall, VoiceProvider } from '../voice/port.ts'
import { spokenMessage } from '../voice/spoken-message.ts'
import { createOutboxPut, type ShortEntry } from './outbox-put.ts'

/** The development provider: stores what a call would say once, the code digit by digit, where people can see it, and makes no call. */
export function createOutboxVoiceProvider(pool: Pool): VoiceProvider {
  const put = createOutboxPut(pool)
  return {
    name: 'outbox',
    callMs: 10_000,
    outage: () => null,
    call: (call, { fence }) => put(fence, () => entryOf(call)),
    close: async () => undefined,
  }
}

const entryOf = (call: VoiceCall): ShortEntry => ({
  workspaceId: call.workspaceId,
  messageId: call.messageId,
  channel: 'voice',
  to: call.to,
  from: call.from,
  body: spokenMessage(call, ' '),
})
