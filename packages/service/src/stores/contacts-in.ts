import { type CommandRunner, createCommandRunner } from '@tidings/commands'
import { contactSubject } from '@tidings/domain'
import { createUniqueContacts, type UniqueContacts } from '@tidings/unique-contacts'
import type { Stores } from './open-stores.ts'

type ContactsOptions = Readonly<{ runner?: CommandRunner; onUnreleased?: (error: unknown) => void }>

/** The contacts of an installation, by their addresses. */
export function contactsIn({ log, keyRing }: Pick<Stores, 'log' | 'keyRing'>, options: ContactsOptions = {}): UniqueContacts {
  const { runner = createCommandRunner({ log }), onUnreleased } = options
  return createUniqueContacts({
    runner,
    claimDigest: keyRing.claimDigest,
    olderDigests: keyRing.olderClaimDigests,
    createKey: (workspaceId, contactId) => keyRing.newKeyFor(workspaceId, contactSubject({ contactId })),
    ...(onUnreleased && { onUnreleased }),
  })
}
