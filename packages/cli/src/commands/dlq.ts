import { OperationFailed } from '@tidings/config'
import { workspaceIdOf } from '@tidings/directory'
import { type DeadLetter, listDeadLetters, redriveDeadLetter, showDeadLetter } from '@tidings/jobs'
import { discardLetter } from '@tidings/service/operations'
import type { Pool } from 'pg'
import { withOperator } from '../operator/with-operator.ts'
import { type Answer, listAnswer } from '../terminal/answer.ts'

type Json = Readonly<{ json: boolean }>
type OfWorkspace = Json & Readonly<{ workspace?: string }>

const line = ({ id, source, consumer, state, reference, attempts, error }: DeadLetter): string =>
  `${id}  ${source} of ${consumer}  ${state}  ${reference}  ${attempts} ${source === 'record' ? 'records' : 'tries'}  ${error}`

/** A dead letter, of the given workspace where one is given. */
const find = async (pool: Pool, id: string, workspace: string | undefined): Promise<DeadLetter> => {
  const letter = /^[0-9a-f-]{36}$/i.test(id) ? await showDeadLetter(pool, id) : null
  if (letter === null || (workspace !== undefined && letter.workspaceId !== workspaceIdOf(workspace))) {
    throw new OperationFailed(`There is no dead letter ${id}.`)
  }
  return letter
}

const changed = async (pool: Pool, id: string, accepted: boolean): Promise<Answer> => {
  const letter = await find(pool, id, undefined)
  if (!accepted && letter.source === 'record' && letter.state === 'open')
    throw new OperationFailed(`Dead letter ${id} is of records of Kafka that are no events: there is nothing to try again, discard it.`)
  if (!accepted) throw new OperationFailed(`Dead letter ${id} is ${letter.state}: only an open one can be changed.`)
  return { json: letter, lines: [line(letter)] }
}

/** `tidings dlq list`: what is open or being tried again, newest first. */
export function list({ workspace, json }: OfWorkspace): Promise<void> {
  return withOperator(json, async ({ stores }) => {
    const letters = await listDeadLetters(stores.pool, workspace === undefined ? {} : { workspaceId: workspaceIdOf(workspace) })
    return listAnswer(letters, line, 'There are no dead letters.')
  })
}

export function show(id: string, { workspace, json }: OfWorkspace): Promise<void> {
  return withOperator(json, async ({ stores }) => {
    const letter = await find(stores.pool, id, workspace)
    return { json: letter, lines: [line(letter), ...(letter.payload === null ? [] : [letter.payload])] }
  })
}

/** `tidings dlq redrive ID`: back into its lane, or to its consumer. */
export function redrive(id: string, { workspace, json }: OfWorkspace): Promise<void> {
  return withOperator(json, async ({ stores }) => {
    await find(stores.pool, id, workspace)
    return changed(stores.pool, id, await redriveDeadLetter(stores.pool, id))
  })
}

/** `tidings dlq discard ID`: gives it up for good, with the reason. A message that it was to send has failed by that. */
export function discard(id: string, { workspace, reason, json }: OfWorkspace & Readonly<{ reason: string }>): Promise<void> {
  return withOperator(json, async ({ stores, settle }) => {
    const letter = await find(stores.pool, id, workspace)
    const { discarded, position } = await discardLetter(stores, letter, reason)
    if (position !== null) await settle(position)
    return changed(stores.pool, id, discarded)
  })
}
