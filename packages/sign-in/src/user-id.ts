import { emailKey } from '@tidings/addresses'
import { uuidv5 } from '@tidings/codec'

/** An address is one user of a workspace, however it is spelled (M46): the id comes from both. Ids are stored for ever, so this never changes. */
export function userIdOf(workspaceId: string, email: string): string {
  return uuidv5(`user:${emailKey(email)}`, workspaceId)
}
