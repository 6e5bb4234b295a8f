import { NIL_ID } from '@tidings/domain'
import type { ClientBase } from 'pg'
import { admission, admittedOf, runAdmission } from '../../../src/webhooks/queue/admit.ts'
import type { NewDelivery } from '../../../src/webhooks/queue/statements.ts'

/** An owner that has leased no queue. */
const NO_OWNER = NIL_ID

/** Admits a batch that waits to be taken, in a transaction; answers how many were left out because too many wait already. */
export async function admitDeliveries(tx: ClientBase, all: readonly NewDelivery[], backlog: number): Promise<number> {
  const value = await runAdmission(tx, admission(all, backlog, { owner: NO_OWNER, after: all.map(() => null) }))
  return admittedOf(value).dropped
}
