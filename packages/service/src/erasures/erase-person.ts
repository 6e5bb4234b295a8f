import { createCommandRunner } from '@tidings/commands'
import { OperationFailed } from '@tidings/config'
import { type Cleared, ContactParked, eraseContact, TablesLeft } from '@tidings/consumers'
import type { Position } from '@tidings/event-store'
import type { Stores } from '../stores/open-stores.ts'
import { personalPlaces } from './personal-places.ts'
import { settleErasure } from './settle-erasure.ts'

/** The rows that an erasure removed, location by location. */
type ErasedPerson = readonly Cleared[]

/** Finishes an erasure that was asked for, in the process of the caller. Where it dies, a process with the role consumers goes on. */
export async function erasePerson(stores: Stores, of: Readonly<{ workspaceId: string; contactId: string }>): Promise<ErasedPerson> {
  const { log, workPool: pool, keyRing } = stores
  const commands = createCommandRunner({ log })
  const erasing = {
    ...{ log, pool, commands, keyRing },
    places: personalPlaces(stores),
    settle: (position: Position) => settleErasure(stores, position),
  }
  try {
    return await eraseContact(erasing, of, new AbortController().signal)
  } catch (error) {
    throw error instanceof ContactParked || error instanceof TablesLeft ? new OperationFailed(error.message, { cause: error }) : error
  }
}
