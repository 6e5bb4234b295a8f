import { appendContext } from '@tidings/administration'
import type { Executed, StoredEvent } from '@tidings/commands'
import { type ApiRefusalCode, type Decider, Refused } from '@tidings/domain'
import type { FastifyRequest } from 'fastify'
import type { DashboardDependencies } from '../dependencies.ts'

export type NewRecord<C, E extends StoredEvent, S> = Readonly<{
  decider: Decider<C, E, S>
  stream: string
  command: NoInfer<C>
  /** Whether the state already has the record, whose id follows from its name. */
  exists: (state: S) => boolean
  taken: ApiRefusalCode
  /** Where the stream has no room for one more: two requests at once do not pass it either. */
  limit?: Readonly<{ isReached: (state: S) => boolean; refusal: ApiRefusalCode }>
}>

/** Carries out the command where there is no record of this name yet, and room for one more; else what `taken` or `limit` says. */
export async function createRecord<C, E extends StoredEvent, S>(
  { commands, now }: Pick<DashboardDependencies, 'commands' | 'now'>,
  request: FastifyRequest,
  { decider, stream, command, exists, taken, limit }: NewRecord<C, E, S>,
): Promise<Executed<E, S>> {
  const context = appendContext(request, now())
  try {
    const expects = (state: S): boolean => !exists(state) && limit?.isReached(state) !== true
    return await commands.execute({ decider, stream, command, context, expects })
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'changed_meanwhile') throw error
    const { state } = await commands.load({ decider, stream, workspaceId: request.tenant.workspaceId })
    throw new Refused(limit === undefined || exists(state) ? taken : limit.refusal)
  }
}
