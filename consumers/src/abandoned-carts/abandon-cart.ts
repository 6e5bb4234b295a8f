import { type EventLog, type Recorded, SubjectErased, uuidv5 } from '@tidings/codec'
import type { CommandExecutor } from '@tidings/commands'
import {
  type ActivityRecorded,
  activity,
  activityStream,
  type ContactId,
  isNews,
  type WorkspaceId,
  type WorkspaceStatus,
} from '@tidings/domain'
import type { Deferral, Job, Verdict } from '@tidings/jobs'

/** The last time of a contact's activities of each name, ISO 8601; only names that occurred. */
export type LastActivities = Readonly<Record<string, string>>

/** The end of a cart: `renewed` by a later one, or reported by the store; `forgotten` with its person; `closed` with its workspace. */
export type CartOutcome = 'abandoned' | 'bought' | 'renewed' | 'missed' | 'forgotten' | 'closed'

/** `lastActivities` asks the read models of the events named, which `gate` requires; `now`: milliseconds since 1970. */
export type Abandoning = Readonly<{
  log: EventLog
  commands: CommandExecutor
  workspaces: Readonly<{ status: (workspaceId: WorkspaceId) => WorkspaceStatus | Promise<WorkspaceStatus> }>
  lastActivities: (workspaceId: WorkspaceId, contactId: ContactId, events: readonly string[]) => Promise<LastActivities>
  gate: Readonly<{ requireAsOfNow: (decision: string, projections: readonly string[]) => Promise<void> }>
  suspended: Readonly<{ putOff: (workspaceId: WorkspaceId) => Promise<Deferral> }>
  now: () => number
  onOutcome?: (outcome: CartOutcome) => void
}>

const IDLE_MS = 60 * 60_000
/** After a restore, or a day without this process, an older cart is not news. */
const MISSED_MS = 24 * 60 * 60_000
/** The answer of `lastActivities`. */
const READ_MODELS: readonly string[] = ['activity_facts']

const ENDS = ['order.completed', 'cart.abandoned', 'checkout.started'] as const
/** Fixed for ever: two jobs of one cart meet in one stream. */
const CARTS = 'f3a9e0c4-8f0a-5d36-9c55-7a3c0b7c1d28'

/**
 * Records that a cart is abandoned, once, where its contact has neither ordered nor begun another within the hour (M39). Decided once the read
 * models show what the log had then: an order that was accepted before is never missed (M44).
 */
export async function abandonCart(abandoning: Abandoning, { workspaceId, payload: activityId }: Job): Promise<Verdict> {
  const { log, now, workspaces, onOutcome } = abandoning
  const [checkout] = await log.readStream<ActivityRecorded>(workspaceId, activityStream(workspaceId, activityId), { limit: 1 })
  if (checkout === undefined || checkout.erased) return end(onOutcome, 'forgotten')
  const dueAt = Date.parse(checkout.data.occurredAt) + IDLE_MS
  if (now() < dueAt) return { type: 'Deferred', inMs: dueAt - now(), counts: false, deferredFor: 'due_time' }
  // A report that comes a day late starts no cart (M54).
  if (now() > dueAt + MISSED_MS || !isNews(checkout.data, checkout.meta.at)) return end(onOutcome, 'missed')
  const status = await workspaces.status(workspaceId)
  if (status === 'suspended') return await abandoning.suspended.putOff(workspaceId)
  if (status === 'closed') return end(onOutcome, 'closed')
  await abandoning.gate.requireAsOfNow(activityId, READ_MODELS)
  const last = await abandoning.lastActivities(workspaceId, checkout.data.contactId, ENDS)
  const ended = endedBy(last, checkout.data.occurredAt)
  return end(onOutcome, ended ?? (await record(abandoning, checkout, dueAt)))
}

function end(onOutcome: Abandoning['onOutcome'], outcome: CartOutcome): Verdict {
  onOutcome?.(outcome)
  return 'done'
}

/** A later checkout has a job of its own; a store may report the abandoned cart itself. */
function endedBy(last: LastActivities, startedAt: string): CartOutcome | null {
  const occurred = (event: (typeof ENDS)[number]): string => last[event] ?? ''
  if (occurred('order.completed') >= startedAt) return 'bought'
  return occurred('checkout.started') > startedAt || occurred('cart.abandoned') >= startedAt ? 'renewed' : null
}

/** The id is that of the checkout: however often this runs, and in however many processes, the log has it once. */
async function record({ commands, now }: Abandoning, { id, data, meta }: Recorded<ActivityRecorded>, dueAt: number): Promise<CartOutcome> {
  const { workspaceId } = meta
  const activityId = uuidv5(data.activityId, CARTS)
  try {
    await commands.execute({
      decider: activity,
      stream: activityStream(workspaceId, activityId),
      command: {
        type: 'RecordActivity',
        data: {
          activityId,
          contactId: data.contactId,
          event: 'cart.abandoned',
          source: 'service',
          occurredAt: new Date(dueAt).toISOString(),
          properties: data.properties,
        },
      },
      context: {
        commandId: activityId,
        workspaceId,
        actor: 'pipeline',
        requestId: meta.requestId,
        causationId: id,
        at: new Date(now()).toISOString(),
      },
      isNew: true,
    })
    return 'abandoned'
  } catch (error) {
    if (error instanceof SubjectErased) return 'forgotten'
    throw error
  }
}
