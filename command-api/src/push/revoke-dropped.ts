import type { AppendContext } from '@tidings/codec'
import { type ContactBrowser, type ContactState, MAX_BROWSERS, pushSubscription, pushSubscriptionStream } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { Dependencies } from '../dependencies.ts'

type Runner = Pick<Dependencies, 'commands'>

/** The browser that this registration will drop from the contact, which has room for so many. */
export function toBeDropped({ browsers }: ContactState, endpointHash: string): readonly ContactBrowser[] {
  const isKnown = browsers.some((browser) => browser.endpointHash === endpointHash)
  return isKnown ? [] : browsers.slice(0, Math.max(0, browsers.length + 1 - MAX_BROWSERS))
}

/** The browsers that a registration has dropped: others may have registered since the prediction. */
export function dropped(before: ContactState, after: ContactState): readonly ContactBrowser[] {
  const kept = new Set(after.browsers.map(({ endpointHash }) => endpointHash))
  return before.browsers.filter(({ endpointHash }) => !kept.has(endpointHash))
}

/** A browser that its contact does not know is called no more, and may not count as live: the last live one keeps the consent (N188). */
export async function revokeDropped(
  { commands }: Runner,
  context: AppendContext,
  browsers: readonly ContactBrowser[],
): Promise<readonly (Position | null)[]> {
  const { workspaceId } = context
  const revoked = browsers.map(({ endpointHash, registration }) =>
    commands.execute({
      decider: pushSubscription,
      stream: pushSubscriptionStream(workspaceId, endpointHash),
      command: { type: 'RevokePushSubscription', data: { registration, reason: 'too_many_browsers' } },
      context,
    }),
  )
  return (await Promise.all(revoked)).map(({ position }) => position)
}
