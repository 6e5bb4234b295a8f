import type { WorkspaceId } from '@tidings/domain'
import type { SendOptions } from '../port.ts'
import type { Tokens } from './token-queue.ts'

/**
 * The options of a call whose fence takes a token first, one for all the times that it is asked until the message is handed over; what is asked
 * again after that is another try, and takes another. Where the fence rejects, the token goes to the next message.
 */
export function withToken(tokens: Tokens, { workspaceId }: Readonly<{ workspaceId: WorkspaceId }>, options: SendOptions): SendOptions {
  let hasToken = false
  let waiting: Promise<void> | undefined
  const giveBack = (error: unknown): never => {
    if (hasToken) tokens.giveBack()
    hasToken = false
    throw error
  }
  const judged = (): Promise<void> | undefined => {
    try {
      return options.fence()?.catch(giveBack)
    } catch (error) {
      return giveBack(error)
    }
  }
  const fence = (): Promise<void> | undefined => {
    if (hasToken) return judged()
    // Asked again while it waits: there is one token for the message.
    waiting ??= tokens
      .take({ workspaceId, priority: options.priority, signal: options.signal })
      ?.then(() => {
        hasToken = true
      })
      .finally(() => {
        waiting = undefined
      })
    if (waiting !== undefined) return waiting.then(fence)
    hasToken = true
    return judged()
  }
  const handedOver = (): void => {
    hasToken = false
    options.handedOver?.()
  }
  return { ...options, fence, handedOver }
}
