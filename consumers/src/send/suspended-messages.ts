import { createSingleFlight, startTicker, unlessAborted } from '@tidings/async'
import type { Recorded } from '@tidings/codec'
import type { WorkspaceId, WorkspaceStatus, WorkspaceStatusChanged } from '@tidings/domain'

import { type Deferral, PUT_BACK_MS, renewSuspensions, resumeJobs, suspendedWorkspaces, suspendJobs } from '@tidings/jobs'
import type { LogView } from '@tidings/log-views'
import type { Pool } from 'pg'
import { isAway } from '../is-away.ts'

export type SuspendedMessages = Readonly<{
  /** Suspends all messages of a workspace that was found suspended, and answers for the job that runs. */
  putOff: (workspaceId: WorkspaceId) => Promise<Deferral>
  /** Releases the messages of a workspace that is not suspended any more. */
  view: LogView
  stop: () => Promise<void>
}>

/** `kind`: of the jobs. `onReleased`: messages can be claimed that were not before. `everyMs`: between two looks at what is suspended, default 15 s. */
export type SuspendedMessagesOptions = Readonly<{
  pool: Pool
  kind: string
  workspaces: Readonly<{
    status: (workspaceId: WorkspaceId) => WorkspaceStatus | Promise<WorkspaceStatus>
    statusNow: (workspaceId: WorkspaceId) => Promise<WorkspaceStatus>
  }>
  onReleased: () => void
  onFault: (error: unknown) => void
  everyMs?: number
}>

const DEFERRED = { type: 'Deferred', counts: false, deferredFor: 'workspace_suspended' } as const
/** The suspension keeps it from being claimed again; without one it would be claimed, and read, every second. */
const SUSPENDED: Deferral = { ...DEFERRED, inMs: 1_000 }
const NOT_SUSPENDED: Deferral = { ...DEFERRED, inMs: PUT_BACK_MS }

/**
 * Keeps the messages of suspended workspaces in the inbox, where no worker claims it, and releases it when that is over. The log says
 * whether it is: on the event, and in a look at every suspension at the start and again and again, so that what a killed process left is put right.
 */
export function createSuspendedMessages(options: SuspendedMessagesOptions): SuspendedMessages {
  const { pool, kind, workspaces, onReleased, onFault, everyMs = 15_000 } = options
  const suspending = createSingleFlight<Deferral>()
  const stopping = new AbortController()

  const release = async (workspaceId: WorkspaceId): Promise<void> => {
    await resumeJobs(pool, kind, workspaceId)
    onReleased()
  }

  const suspend = async (workspaceId: WorkspaceId): Promise<Deferral> => {
    try {
      await suspendJobs(pool, kind, workspaceId)
      // A resume may have come before the suspension, and its release too. One that comes after this read is heard, and releases.
      if ((await workspaces.statusNow(workspaceId)) !== 'suspended') await release(workspaceId)
      return SUSPENDED
    } catch (error) {
      onFault(error)
      return NOT_SUSPENDED
    }
  }

  const view: LogView = {
    types: ['WorkspaceStatusChanged'],
    apply: (event) => {
      const { data, meta } = event as Recorded<WorkspaceStatusChanged>
      if (data.status !== 'suspended') release(meta.workspaceId).catch(onFault)
    },
  }

  const look = async (): Promise<void> => {
    const unknown = new Set(await suspendedWorkspaces(pool, kind))
    const suspended: WorkspaceId[] = []
    const faults: unknown[] = []
    for (const workspaceId of unknown) {
      if (stopping.signal.aborted) return
      try {
        if ((await workspaces.status(workspaceId)) === 'suspended') suspended.push(workspaceId)
        else await release(workspaceId)
        unknown.delete(workspaceId)
      } catch (error) {
        faults.push(error)
        if (isAway(error)) break
      }
    }
    // Suspended jobs stay suspended while the status is not known.
    if (!stopping.signal.aborted) await renewSuspensions(pool, kind, [...suspended, ...unknown])
    if (faults.length > 0) throw faults[0]
  }

  const faultUnlessStopped = (error: unknown): void => {
    if (!stopping.signal.aborted) onFault(error)
  }

  const ticker = startTicker(everyMs, async () => {
    // A log or a database that is away may keep a look longer than a stop may take.
    await unlessAborted(look().catch(faultUnlessStopped), stopping.signal)
  })
  ticker.tickNow()

  return {
    view,
    putOff: (workspaceId) => suspending(workspaceId, () => suspend(workspaceId)),
    stop: async () => {
      stopping.abort()
      ticker.stop()
      await ticker.ended()
    },
  }
}
