import type { DirectoryWorkspace } from '@tidings/directory'
import { Refused } from '@tidings/domain'

/** What keeps a passcode from its provider by now, though it was begun: as another request would be answered (M43). `from`: its sender ID. */
export function passcodeBlock({ status, smsSenders }: Pick<DirectoryWorkspace, 'status' | 'smsSenders'>, from: string): Refused | null {
  if (status !== 'active') return new Refused('workspace_not_active')
  return smsSenders.get(from.toLowerCase())?.status === 'approved' ? null : new Refused('sender_id_not_approved')
}
