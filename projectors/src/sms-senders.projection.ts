import type { SenderIdStatus, SenderIdsEvent, WorkspaceId } from '@tidings/domain'
import { defineProjection, defineTable, type Rows, row } from '@tidings/projections'
import type { SmsSenderRow } from '@tidings/read-models'

const smsSenders = defineTable<SmsSenderRow<string>>({
  name: 'sms_senders',
  columns: {
    workspace_id: 'uuid',
    sender_id: 'text',
    status: 'text',
    reason: 'text?',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  key: ['workspace_id', 'sender_id'],
  cachedRows: 200,
})

type EventOfSenderId = Readonly<{ data: Readonly<{ senderId: string }>; meta: Readonly<{ workspaceId: WorkspaceId; at: string }> }>

const stands =
  (status: SenderIdStatus) =>
  ({ data: { senderId }, meta: { workspaceId, at } }: EventOfSenderId, rows: Rows, reason: string | null = null): void =>
    rows.put(smsSenders, {
      workspace_id: workspaceId,
      sender_id: senderId,
      status,
      reason,
      created_at: rows.get(smsSenders, workspaceId, senderId)?.created_at ?? at,
      updated_at: at,
    })

const [pending, approved, rejected, deactivated] = [stands('pending'), stands('approved'), stands('rejected'), stands('deactivated')]

/** The SMS sender IDs of each workspace, whatever their state. The decider writes one always in the same casing. */
export const smsSendersProjection = defineProjection<SenderIdsEvent>({
  name: 'sms_senders',
  version: 1,
  tables: [smsSenders],
  personal: ['SmsSenderIdRejected'],
  reads: ({ data, meta: { workspaceId } }) => [row(smsSenders, workspaceId, data.senderId)],
  on: {
    SmsSenderIdRequested: (event, rows) => pending(event, rows),
    SmsSenderIdApproved: (event, rows) => approved(event, rows),
    SmsSenderIdRejected: (event, rows) => rejected(event, rows, event.data.reason),
    SmsSenderIdDeactivated: (event, rows) => deactivated(event, rows),
  },
})
