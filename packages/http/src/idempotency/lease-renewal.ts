import { setTimeout as sleep } from 'node:timers/promises'
import { LEASE_MS, type LeasedKey } from './table.ts'

/** How often leases are renewed: two renewals may fail before a lease ends. */
const EVERY_MS = 3_000
/** This is longer than any request runs. A request that never ends loses its key after that. */
const LONGEST_MS = 5 * 60_000

export type LeaseRenewal = Readonly<{
  /** Renews the lease until `end`, or until it is lost. `askedAt`: when it was asked for, by `now`. */
  begin: (leased: LeasedKey, askedAt: number) => RunningLease
}>

/** `isLeased`: no other request can have taken the key over by now. `end` stops renewing and gives the key as it is leased now. */
export type RunningLease = Readonly<{ isLeased: () => boolean; end: () => Promise<LeasedKey> }>

/** The same as `renew` of the table. */
export type RenewLeases = (leased: readonly LeasedKey[]) => Promise<readonly (string | undefined)[]>

type LeaseRenewalOptions = Readonly<{ now?: () => number; everyMs?: number }>

type Running = { leased: LeasedKey; readonly since: number; until: number; isLost: boolean }

/**
 * Keeps the keys of running requests (M1): as long as a request runs, in a process that lives, no other takes its key over. A lease counts from
 * when it was asked for, so that this process never takes it for longer than the database does. There is a timer only while requests run.
 */
export function createLeaseRenewal(
  renewLeases: RenewLeases,
  { now = () => performance.now(), everyMs = EVERY_MS }: LeaseRenewalOptions = {},
): LeaseRenewal {
  const running = new Set<Running>()
  let round: Promise<void> | null = null
  let isTicking = false

  const renewAll = async (): Promise<void> => {
    const askedAt = now()
    const due = [...running].filter(
      ({ isLost, since, until }) => !isLost && askedAt - since < LONGEST_MS && until - askedAt <= LEASE_MS - everyMs,
    )
    if (due.length === 0) return
    try {
      const leases = await renewLeases(due.map(({ leased }) => leased))
      for (const [index, entry] of due.entries()) {
        const lease = leases[index]
        if (lease === undefined) entry.isLost = true
        else Object.assign(entry, { leased: { ...entry.leased, lease }, until: askedAt + LEASE_MS })
      }
    } catch {
      // The database is away: the next round asks again, and the lease ends where none succeeds.
    }
  }

  const tick = async (): Promise<void> => {
    if (isTicking) return
    isTicking = true
    while (running.size > 0) {
      await sleep(everyMs, undefined, { ref: false })
      round = renewAll()
      await round
      round = null
    }
    isTicking = false
  }

  return {
    begin: (leased, askedAt) => {
      const entry: Running = { leased, since: askedAt, until: askedAt + LEASE_MS, isLost: false }
      running.add(entry)
      void tick()
      return {
        isLeased: () => !entry.isLost && now() < entry.until,
        end: async () => {
          running.delete(entry)
          await round
          return entry.leased
        },
      }
    },
  }
}
