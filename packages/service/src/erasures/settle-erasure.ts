import type { Position } from '@tidings/event-store'
import { projections } from '@tidings/projectors'
import { settle } from '../read-side/settle.ts'
import type { Stores } from '../stores/open-stores.ts'

/** The tables from which an erasure removes the contact. */
const LOOKED_UP = new Set(['lists', 'list_members', 'flows', 'flow_runs'])

/** Those that have something of a person. */
export const personalProjections = projections.filter(({ types }) => types.has('ContactErasureRequested'))

const concerned = projections
  .filter((projection) => personalProjections.includes(projection) || projection.tables.some(({ name }) => LOOKED_UP.has(name)))
  .map(({ name }) => name)

/** Like `settle`, for the projections that an erasure concerns: others may be stopped or rebuilt meanwhile. */
export async function settleErasure(stores: Stores, position: Position): Promise<void> {
  await settle(stores, position, concerned)
}
