import { createCommandRunner } from '@tidings/commands'
import { type Cleared, eraseContact } from '@tidings/consumers'
import { settle } from '../read-side/settle.ts'
import type { Stores } from '../stores/open-stores.ts'
import { personalPlaces } from './personal-places.ts'

/** What was taken away, place by place. */
type ErasedPerson = readonly Cleared[]

/** Finishes an erasure that was asked for, in the process of the caller. Where it dies, a process with the role consumers goes on. */
export async function erasePerson(stores: Stores, of: Readonly<{ workspaceId: string; contactId: string }>): Promise<ErasedPerson> {
  const { log, workPool: pool, keyRing } = stores
  const commands = createCommandRunner({ log })
  const erasing = {
    ...{ log, pool, commands, keyRing },
    places: personalPlaces(stores),
    settle: (position: Parameters<typeof settle>[1]) => settle(stores, position),
  }
  return await eraseContact(erasing, of, new AbortController().signal)
}
