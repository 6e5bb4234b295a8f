import { isReservedSenderId, Refused, type SenderIdStatus } from '@tidings/domain'

/** The workspace's sender ID in its stored casing, whatever the case it was asked for in. Refuses `sender_id_required`, `sender_id_not_approved`. */
export function approvedSmsSender(
  { smsSenders }: Readonly<{ smsSenders: ReadonlyMap<string, Readonly<{ senderId: string; status: SenderIdStatus }>> }>,
  senderId: string,
): string {
  if (senderId.trim() === '' || isReservedSenderId(senderId)) throw new Refused('sender_id_required')
  const sender = smsSenders.get(senderId.toLowerCase())
  if (sender?.status !== 'approved') throw new Refused('sender_id_not_approved')
  return sender.senderId
}
