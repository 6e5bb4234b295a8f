import { appendContext } from '@tidings/administration'
import type { Executed, StoredEvent } from '@tidings/commands'
import { type ApiRefusalCode, type Decider, Refused } from '@tidings/domain'
import type { FastifyRequest } from 'fastify'
import type { DashboardDependencies } from '../dependencies.ts'

/** As many senders of a kind as people may add; a workspace file may have more. */
const MAX_SENDERS = 100

type NewSender<C, E extends StoredEvent, S> = Readonly<{
  decider: Decider<C, E, S>
  stream: string
  command: NoInfer<C>
  /** Whether the sender is there already; refused with `taken`. */
  isThere: (state: S) => boolean
  taken: ApiRefusalCode
  count: (state: S) => number
}>

/** Adds a sender that is not there yet: what somebody has said of one that is there is never changed by adding it again. */
export async function addSender<C, E extends StoredEvent, S>(
  { commands, now }: Pick<DashboardDependencies, 'commands' | 'now'>,
  request: FastifyRequest,
  { decider, stream, command, isThere, taken, count }: NewSender<C, E, S>,
): Promise<Executed<E, S>> {
  const context = appendContext(request, now())
  try {
    return await commands.execute({
      ...{ decider, stream, command, context },
      expects: (state) => !isThere(state) && count(state) < MAX_SENDERS,
    })
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'changed_meanwhile') throw error
    const { state } = await commands.load({ decider, stream, workspaceId: request.tenant.workspaceId })
    throw new Refused(isThere(state) ? taken : 'sender_limit_reached')
  }
}
