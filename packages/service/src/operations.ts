import type { CampaignCopies } from '@tidings/administration'
import { createCommandRunner } from '@tidings/commands'
import { type Config, publicUrl } from '@tidings/config'
import * as consumers from '@tidings/consumers'
import type { ContactId, WorkspaceId } from '@tidings/domain'
import type { DeadLetter } from '@tidings/jobs'
import { createMailLinks } from './command-side/command-side.ts'
import { erasingIn } from './erasures/erasing-in.ts'
import { contactsIn } from './stores/contacts-in.ts'
import type { Stores } from './stores/open-stores.ts'

// What commands of the operator ask of the consumers, over the stores that they have opened.

export { contactsIn } from './stores/contacts-in.ts'

type Operating = Readonly<{ stores: Stores; config: Config }>

export function campaignCopies({ stores, config }: Operating): CampaignCopies {
  const links = createMailLinks(config, stores.masters)
  return {
    preview: (of) => consumers.previewCampaign({ ...stores, publicUrl: publicUrl(config.http) }, of),
    sendTest: (wanted) => consumers.sendTestCopy({ ...stores, links }, wanted),
  }
}

export function discardLetter({ log, pool }: Stores, letter: DeadLetter, note: string): ReturnType<typeof consumers.discardLetter> {
  return consumers.discardLetter({ commands: createCommandRunner({ log }), pool }, letter, note)
}

/** The contact that has the address now, by the log: exact at once, and also while the read side is behind. Null where none has. */
export function contactHolding(
  stores: Stores,
  { workspaceId, kind, value }: Readonly<{ workspaceId: WorkspaceId; kind: 'email' | 'phone'; value: string }>,
): Promise<ContactId | null> {
  return contactsIn(stores).ownerOf(workspaceId, kind, value)
}

/** Finishes an erasure that was asked for, in the process of the caller. Where it dies, a process with the role consumers goes on. */
export function erasePerson(
  stores: Stores,
  of: Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>,
): Promise<readonly consumers.Cleared[]> {
  const { log, workPool: pool, keyRing } = stores
  const erasing = { log, pool, keyRing, commands: createCommandRunner({ log }), ...erasingIn(stores) }
  return consumers.eraseContact(erasing, of, new AbortController().signal)
}
