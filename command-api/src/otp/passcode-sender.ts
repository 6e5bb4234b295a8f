import type { DirectoryWorkspace } from '@tidings/directory'
import { Refused } from '@tidings/domain'
import { approvedSmsSender } from '../messages/approved-sms-sender.ts'

/** The sender ID that was asked for, in its stored casing; without one the workspace's oldest that may be used (G18). Refuses as for text messages. */
export function passcodeSender(workspace: Pick<DirectoryWorkspace, 'smsSenders'>, senderId: string | undefined): string {
  if (senderId !== undefined) return approvedSmsSender(workspace, senderId)
  const oldest = [...workspace.smsSenders.values()].find(({ status }) => status === 'approved')
  if (oldest === undefined) throw new Refused('sender_id_required')
  return oldest.senderId
}
