import type { WorkspaceId } from '@tidings/domain'
import type { Deferral } from '@tidings/jobs'
import { createServiceCredits } from './service-credits.ts'

/** Gives back what was taken. */
type Leave = () => void

/**
 * The slots of a lane in this process, and who has them. An endpoint is a stranger's text whose server may stall every call, so no one workspace and no one push
 * service may take them all, and those that have not answered quickly of late may not take them all together. Both answer null where there is no
 * slot now.
 */
export type Slots = Readonly<{
  /** The share of one workspace: at most half, and an eighth once half of all are taken. */
  forWorkspace: (workspaceId: WorkspaceId) => Leave | null
  /**
   * One at each of the push services, at most three quarters of the slots at one. Beyond what each has earned by quick answers: at most three
   * quarters of all together, and an eighth for a push service and for a workspace.
   */
  forServices: (workspaceId: WorkspaceId, endpoints: readonly string[]) => Leave | null
  /** Notes how long the endpoint took to answer, or not to. */
  noteAnswer: (endpoint: string, ms: number) => void
}>

/** Nothing was tried. Spread, so that those put off together do not come back together. */
export function untilSlot(): Deferral {
  return { type: 'Deferred', inMs: 1_000 * (1 + Math.random()), counts: false, deferredFor: 'no_free_slot' }
}

/** `count`: of the lane. */
export function createSlots(count: number): Slots {
  const share = (part: number): number => Math.max(1, Math.floor(count * part))
  const [half, eighth, threeQuarters] = [share(1 / 2), share(1 / 8), share(3 / 4)]
  const credits = createServiceCredits(threeQuarters)
  const workspaces = createTakenCounts()
  const services = createTakenCounts()
  const unproven = createTakenCounts()
  return {
    forWorkspace: (workspaceId) => {
      const most = workspaces.total() < half ? half : eighth
      return workspaces.of(workspaceId) < most ? workspaces.take([workspaceId]) : null
    },
    forServices: (workspaceId, endpoints) => {
      const origins = [...new Set(endpoints.map((endpoint) => new URL(endpoint).origin))]
      if (origins.some((origin) => services.of(origin) >= threeQuarters)) return null
      if (origins.every((origin) => services.of(origin) < credits.of(origin))) return services.take(origins)
      const who = [workspaceId, ...origins]
      if (unproven.total() >= threeQuarters || who.some((one) => unproven.of(one) >= eighth)) return null
      const leaves = [services.take(origins), unproven.take(who)]
      return () => {
        for (const leave of leaves) leave()
      }
    },
    noteAnswer: (endpoint, ms) => credits.note(new URL(endpoint).origin, ms),
  }
}

/** Counts slots: in all, and for each that has some. */
function createTakenCounts() {
  const taken = new Map<string, number>()
  let total = 0
  const add = (who: string, by: number): void => {
    const now = (taken.get(who) ?? 0) + by
    if (now === 0) taken.delete(who)
    else taken.set(who, now)
  }
  return {
    total: () => total,
    of: (who: string) => taken.get(who) ?? 0,
    take: (all: readonly string[]): Leave => {
      total++
      for (const who of all) add(who, 1)
      return () => {
        total--
        for (const who of all) add(who, -1)
      }
    },
  }
}
