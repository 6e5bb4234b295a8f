import { emailKey, normalizeEmail } from '@tidings/addresses'
import { uuidv5 } from '@tidings/codec'
import type { WorkspaceId } from '@tidings/domain'

const idOf = (workspaceId: WorkspaceId, written: string): string => uuidv5(`user:${written}`, workspaceId)

/** An address is one user of a workspace, however it is spelled (M46): the id comes from both. Ids are stored for ever, so this never changes. */
export function userIdOf(workspaceId: WorkspaceId, email: string): string {
  return idOf(workspaceId, emailKey(email))
}

/** The id, and those that a log from before M46 may have for the address, with its domain as it was written. */
export function userIdsOf(workspaceId: WorkspaceId, email: string): readonly [string, ...string[]] {
  const stored = normalizeEmail(email)
  const written = [stored, stored.normalize('NFD'), email.trim().toLowerCase()]
  const own = userIdOf(workspaceId, email)
  return [own, ...new Set(written.map((form) => idOf(workspaceId, form)).filter((id) => id !== own))]
}
