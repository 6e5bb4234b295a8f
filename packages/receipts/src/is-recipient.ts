import { emailKey } from '@tidings/addresses'
import type { CommandRunner } from '@tidings/commands'
import { message, messageStream } from '@tidings/domain'
import { parseProviderId } from '@tidings/providers'
import type { MessagePlace, NamedMessage } from './find-messages.ts'

type Report = NamedMessage & Readonly<{ to?: string }>

/**
 * False where a report that knows its message by the provider's own name alone says that it was for another address: the name is one that the
 * provider has used before or elsewhere.
 */
export async function isRecipient({ load }: Pick<CommandRunner, 'load'>, report: Report, place: MessagePlace): Promise<boolean> {
  const { to, messageId, providerMessageId = '' } = report
  if (to === undefined || messageId !== undefined || parseProviderId(providerMessageId) !== null) return true
  const { workspaceId } = place
  const { state } = await load({ decider: message, stream: messageStream(workspaceId, place.messageId), workspaceId })
  const said = emailKey(to.replace(/^[^<]*<([^<>]*)>\s*$/, '$1').trim())
  return [state.to, ...state.earlier].some((one) => one !== null && emailKey(one) === said)
}
