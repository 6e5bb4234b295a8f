import type { DirectoryWorkspace } from '@tidings/directory'
import { Refused } from '@tidings/domain'

/** The reason why a passcode that was begun may not leave any more: another request would get the same answer (M43). `from`: its sender ID. */
export function passcodeBlock({ status, smsSenders }: Pick<DirectoryWorkspace, 'status' | 'smsSenders'>, from: string): Refused | null {
  if (status !== 'active') return new Refused('workspace_not_active')
  return smsSenders.get(from.toLowerCase())?.status === 'approved' ? null : new Refused('sender_id_not_approved')
}
