import { type MaybePromise, whenKnown } from '@tidings/async'
import type { StreamReader } from '@tidings/codec'
import {
  INSTALLATION,
  numberOfSender,
  type SenderNumbersEvent,
  senderNumbers,
  senderNumbersDeclarations,
  senderNumbersStream,
  type WorkspaceId,
} from '@tidings/domain'
import { createFollowedStates, type LogView } from '@tidings/log-views'

export type SenderNumberView = LogView &
  Readonly<{
    /** The own number behind a sender ID now, in E.164; null for none. Without a promise where the view follows the log. */
    numberOf: (sender: Readonly<{ workspaceId: WorkspaceId; senderId: string }>) => MaybePromise<string | null>
  }>

/** The own numbers behind SMS sender IDs (M48), from the log itself: for the moment at which a text is handed over. */
export function createSenderNumberView(log: StreamReader): SenderNumberView {
  const types = Object.keys(senderNumbersDeclarations) as SenderNumbersEvent['type'][]
  const { evolve, initialState } = senderNumbers
  const states = createFollowedStates({ log, types, initial: initialState, evolve, max: 1 })
  return {
    ...states,
    numberOf: (sender) => whenKnown(states.get(INSTALLATION, senderNumbersStream()), (state) => numberOfSender(state, sender)),
  }
}
