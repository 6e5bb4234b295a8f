import { appendContext } from '@tidings/administration'
import type { Executed, StoredEvent } from '@tidings/commands'
import { Refused } from '@tidings/domain'
import { expectedEtag } from '@tidings/http'
import type { FastifyRequest } from 'fastify'
import type { DashboardDependencies } from '../dependencies.ts'
import { type Editable, etagOf, readRecord } from './editable.ts'
import { lastChange } from './last-change.ts'

type Saving = Pick<DashboardDependencies, 'commands' | 'db' | 'log' | 'now'>

/**
 * Carries out the command where the record is still the one that `If-Match` names (`config.edits`), whatever else its stream has got meanwhile; else
 * `changed_meanwhile`, with who changed it last. `commandFor` gets the record as it is, for what the body does not say.
 */
export async function saveRecord<C, E extends StoredEvent, S, R>(
  deps: Saving,
  request: FastifyRequest,
  { editable, commandFor }: Readonly<{ editable: Editable<C, E, S, R>; commandFor: (record: R) => NoInfer<C> }>,
): Promise<Executed<E, S>> {
  const { workspaceId } = request.tenant
  const { decider, stream, recordIn } = editable
  const { record } = await readRecord(deps, workspaceId, editable)
  const wanted = expectedEtag(request)
  try {
    return await deps.commands.execute({
      decider,
      stream,
      command: commandFor(record),
      context: appendContext(request, deps.now()),
      expects: (state) => etagOf(recordIn(state)) === wanted,
    })
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'changed_meanwhile') throw error
    throw new Refused('changed_meanwhile', { ...(await lastChange(deps, workspaceId, editable)) })
  }
}
