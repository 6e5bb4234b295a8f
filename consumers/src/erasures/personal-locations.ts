import { contentStore, type EventLog, type KeyRing } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { contactSubject } from '@tidings/domain'
import { forgetAnswers, type Sealer } from '@tidings/http'
import { type AnyProjection, dropBeside, tablesBeside } from '@tidings/projections'
import { deleteRecipients } from '@tidings/providers'
import { deleteTexts, findingAddressee, keptTexts, textsOfErased } from '@tidings/receipts'
import { createUniqueContacts } from '@tidings/unique-contacts'
import type { Pool } from 'pg'
import type { PersonalLocation } from './erasing.ts'
import { inboxLocations } from './inbox-locations.ts'

/** The tables from which an erasure removes the contact. */
const LOOKED_UP = new Set(['lists', 'list_members', 'flows', 'flow_runs'])

/** `personal`: the projections that have something of a person. `concerned`: the names of all that an erasure waits for; any other may stand still or be rebuilt meanwhile. */
export function projectionsOfPersons(
  projections: readonly AnyProjection[],
): Readonly<{ personal: readonly AnyProjection[]; concerned: readonly string[] }> {
  const personal = projections.filter(({ types }) => types.has('ContactErasureRequested'))
  const concerned = projections.filter((one) => personal.includes(one) || one.tables.some(({ name }) => LOOKED_UP.has(name)))
  return { personal, concerned: concerned.map(({ name }) => name) }
}

/** `answers`: seals the answers that are remembered for idempotency keys. `projections`: those that have something of a person. */
type LocationsOptions = Readonly<{
  log: EventLog
  pool: Pool
  keyRing: KeyRing
  answers: Sealer
  projections: readonly AnyProjection[]
}>

/** Every table outside of the log and the live read models that may hold something of a person, and how it lets go of it. */
export function personalLocations({ log, pool, keyRing, answers: sealer, projections }: LocationsOptions): readonly PersonalLocation[] {
  const contents = contentStore({ pool, keyRing })
  return [
    ...inboxLocations(pool),
    {
      name: 'content of messages',
      clear: ({ workspaceId, contactId }) => contents.deleteOf(workspaceId, contactSubject({ contactId })),
    },
    waitingTexts({ log, pool, keyRing }),
    {
      name: 'tables beside read models',
      clear: ({ requested }) => dropBeside(pool, projections, requested),
      left: ({ requested }) => tablesBeside(pool, projections, requested),
    },
    {
      name: 'remembered answers',
      clear: ({ workspaceId, contactId, addresses }) => forgetAnswers({ pool, sealer }, workspaceId, [contactId, ...addresses]),
    },
    {
      name: 'development outbox',
      clear: ({ workspaceId, addresses }) => deleteRecipients(pool, workspaceId, addresses),
    },
  ]
}

type ErasedPerson = Parameters<typeof textsOfErased>[1]
type TextsOptions = Readonly<{ log: EventLog; pool: Pool; keyRing: KeyRing }>

/** One that comes after it was cleared is found before the erasure counts as whole. */
function waitingTexts({ log, pool, keyRing }: TextsOptions): PersonalLocation {
  const kept = keptTexts({ pool, keyRing })
  const texts = (person: ErasedPerson): Promise<readonly string[]> => {
    // A runner keeps what it has read: this one goes with the question.
    const runner = createCommandRunner({ log })
    const uniqueContacts = createUniqueContacts({ runner, claimDigest: keyRing.claimDigest, olderDigests: keyRing.olderClaimDigests })
    return textsOfErased({ kept, finding: findingAddressee({ runner, pool, uniqueContacts }) }, person)
  }
  return {
    name: 'texts that wait to be taken',
    clear: async (person) => await deleteTexts(kept, await texts(person)),
    left: async (person) => ((await texts(person)).length === 0 ? [] : ['ops.inbound_text']),
  }
}
