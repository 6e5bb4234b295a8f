import { isoNow } from '@tidings/async/clock'
import type { Recorded } from '@tidings/codec'
import type { CommandExecutor } from '@tidings/commands'
import { type PushAccepted, pushSubscription, pushSubscriptionStream } from '@tidings/domain'
import { noteForContact } from '../outcomes/note-for-contact.ts'
import type { FailedCall } from './call-browsers.ts'
import type { StaleBrowser } from './live-browsers.ts'

type Forgetting = Readonly<{ commands: CommandExecutor; accepted: Recorded<PushAccepted> }>

/**
 * Its push service says that it is gone, or that it takes no push under our key: revokes it, then takes it from the contact, with the consent if it was the last (N188). One that has
 * registered again meanwhile stays. Cut off in between, the next message to the contact does the rest.
 */
export async function revokeBrowser(forgetting: Forgetting, { browser, isUnderOtherKey }: FailedCall): Promise<void> {
  const { endpointHash, registration } = browser
  const reason = isUnderOtherKey ? 'push_key_replaced' : 'push_endpoint_gone'
  const { meta, id } = forgetting.accepted
  const { workspaceId, requestId } = meta
  const { events } = await forgetting.commands.execute({
    decider: pushSubscription,
    stream: pushSubscriptionStream(workspaceId, endpointHash),
    command: { type: 'RevokePushSubscription', data: { registration, reason } },
    context: {
      commandId: `${id}:revoke:${endpointHash}:${registration}`,
      workspaceId,
      actor: 'pipeline',
      requestId,
      causationId: id,
      at: isoNow(),
    },
  })
  if (events.length > 0) await forgetBrowser(forgetting, { endpointHash, registration, because: 'gone' })
}

/** Takes a browser from the contact that is not its any more. */
export async function forgetBrowser({ commands, accepted }: Forgetting, stale: StaleBrowser): Promise<void> {
  const { contactId } = accepted.data
  const { endpointHash, registration } = stale
  const command = { type: 'RemoveBrowser', data: { contactId, ...stale } } as const
  await noteForContact({ commands }, { contactId, command, cause: accepted, what: `forget:${endpointHash}:${registration}` })
}
