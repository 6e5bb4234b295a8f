import type { Profile } from '@tidings/contracts'
import type { ContactId, WorkspaceId } from '@tidings/domain'
import pTimeout from 'p-timeout'

/** A page that is in another language comes sooner than one that waits for the read side. */
const TIMEOUT_MS = 500

/** The locale of the contact that a mail went to; null where it has none, or where the read side does not say in time. Never throws. */
export async function recipientLocale(
  { findProfile }: Readonly<{ findProfile: (workspaceId: WorkspaceId, contactId: ContactId) => Promise<Profile | null> }>,
  { workspaceId, contactId }: Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>,
): Promise<string | null> {
  const found = findProfile(workspaceId, contactId).catch(() => null)
  const profile = await pTimeout(found, { milliseconds: TIMEOUT_MS, message: false })
  return profile?.locale ?? null
}
