import { contentStore } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { inboxPlaces } from '@tidings/consumers'
import { contactSubject } from '@tidings/domain'
import { forgetAnswers } from '@tidings/http'
import { dropBeside, tablesBeside } from '@tidings/projections'
import { deleteRecipients } from '@tidings/providers'
import { deleteTexts, textsOfErased } from '@tidings/receipts'
import { createUniqueContacts } from '@tidings/unique-contacts'
import { keptTexts } from '../command-side/kept-texts.ts'
import { findingAddressee } from '../command-side/phone-dependencies.ts'
import { createAnswerSealer } from '../http/answer-sealer.ts'
import type { Stores } from '../stores/open-stores.ts'
import { personalProjections } from './settle-erasure.ts'

type Places = ReturnType<typeof inboxPlaces>
type PlacesFrom = Pick<Stores, 'workPool' | 'keyRing' | 'log'>

/** Every table outside of the log and the live read models that may hold something of a person, and how it lets go of it. */
export function personalPlaces({ workPool: pool, keyRing, log }: PlacesFrom): Places {
  const sealer = createAnswerSealer(keyRing)
  const contents = contentStore({ pool, keyRing })
  return [
    ...inboxPlaces(pool),
    {
      name: 'content of messages',
      clear: ({ workspaceId, contactId }) => contents.deleteOf(workspaceId, contactSubject({ contactId })),
    },
    waitingTexts({ workPool: pool, keyRing, log }),
    {
      name: 'tables beside read models',
      clear: ({ requested }) => dropBeside(pool, personalProjections, requested),
      left: ({ requested }) => tablesBeside(pool, personalProjections, requested),
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

type Whose = Parameters<typeof textsOfErased>[1]

/** One that comes after it was cleared is found before the erasure counts as whole. */
function waitingTexts({ workPool: pool, keyRing, log }: PlacesFrom): Places[number] {
  const kept = keptTexts({ pool, keyRing })
  const texts = (person: Whose): Promise<readonly string[]> => {
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
