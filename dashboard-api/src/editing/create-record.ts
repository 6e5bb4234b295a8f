import { appendContext } from '@tidings/administration'
import type { Executed, StoredEvent } from '@tidings/commands'
import { type ApiRefusalCode, type Decider, Refused } from '@tidings/domain'
import type { FastifyRequest } from 'fastify'
import type { DashboardDependencies } from '../dependencies.ts'

type NewRecord<C, E extends StoredEvent, S> = Readonly<{
  decider: Decider<C, E, S>
  stream: string
  command: NoInfer<C>
  /** Whether the state already has the record, whose id follows from its name. */
  exists: (state: S) => boolean
  taken: ApiRefusalCode
}>

/** Carries out the command where there is no record of this name yet; else what `taken` says. */
export async function createRecord<C, E extends StoredEvent, S>(
  { commands, now }: Pick<DashboardDependencies, 'commands' | 'now'>,
  request: FastifyRequest,
  { decider, stream, command, exists, taken }: NewRecord<C, E, S>,
): Promise<Executed<E, S>> {
  const context = appendContext(request, now())
  try {
    return await commands.execute({ decider, stream, command, context, expects: (state) => !exists(state) })
  } catch (error) {
    throw error instanceof Refused && error.code === 'changed_meanwhile' ? new Refused(taken) : error
  }
}
