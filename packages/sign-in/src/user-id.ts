import { normalizeEmail } from '@tidings/addresses'
import { uuidv5 } from '@tidings/codec'

/** An address is one user of a workspace: the id comes from both. Ids are stored for ever, so this never changes. */
export function userIdOf(workspaceId: string, email: string): string {
  return uuidv5(`user:${normalizeEmail(email)}`, workspaceId)
}
