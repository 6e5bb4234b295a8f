import { contentStore } from '@tidings/codec'
import { inboxPlaces } from '@tidings/consumers'
import { contactSubject } from '@tidings/domain'
import { forgetAnswers } from '@tidings/http'
import { dropBeside, tablesBeside } from '@tidings/projections'
import { deleteRecipients } from '@tidings/providers'
import { keptTexts } from '../command-side/kept-texts.ts'
import { createAnswerSealer } from '../http/answer-sealer.ts'
import type { Stores } from '../stores/open-stores.ts'
import { personalProjections } from './settle-erasure.ts'

type Places = ReturnType<typeof inboxPlaces>

/** Every table outside of the log and the live read models that may hold something of a person, and how it lets go of it. */
export function personalPlaces({ workPool: pool, keyRing }: Pick<Stores, 'workPool' | 'keyRing'>): Places {
  const sealer = createAnswerSealer(keyRing)
  const contents = contentStore({ pool, keyRing })
  return [
    ...inboxPlaces(pool),
    {
      name: 'content of messages',
      clear: ({ workspaceId, contactId }) => contents.deleteOf(workspaceId, contactSubject({ contactId })),
    },
    {
      name: 'texts that wait to be taken',
      clear: ({ addresses }) => keptTexts({ pool, keyRing }).deleteOf(addresses),
    },
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
