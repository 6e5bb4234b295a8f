import { setTimeout as sleep } from 'node:timers/promises'
import { type Audit, audit } from './kill-service.audit.ts'
import { runClient } from './kill-service.client.ts'
import type { LogPlace } from './kill-service.event-store.ts'
import { type Ledger, newLedger } from './kill-service.ledger.ts'
import { startWorld, type World } from './kill-service.world.ts'

/** The processes that are killed. `both`: Postgres and the service at once; `start`: the service, and the one that replaces it while it starts. */
export const VICTIMS = ['service', 'postgres', 'both', 'backend', 'start'] as const
/** More victims if the log is in EventStoreDB: its server, or the wire to it. */
export const STORE_VICTIMS = ['store', 'wire'] as const
type Victim = (typeof VICTIMS)[number] | (typeof STORE_VICTIMS)[number]

/** `seconds`: of load before each kill, at most. `thinkMs`: of a client, between two requests. `log`: where it lies; default Postgres. */
export type Chaos = Readonly<{ victims: readonly Victim[]; clients: number; seconds: number; thinkMs?: number; log?: LogPlace }>

/** What a run must say of itself, whatever was killed. */
export const NOTHING_LOST = {
  endedByItself: 0,
  wronglyRefused: 0,
  unexplainedCopies: 0,
  lostMessages: 0,
  unsentMessages: 0,
  doubledMessages: 0,
  lostWrites: 0,
  holes: 0,
  revisionGaps: 0,
  repeatedIds: 0,
  sharedEmails: 0,
  setAside: 0,
  differingTables: [],
} as const satisfies Partial<ChaosResult>

export type ChaosResult = Audit &
  Readonly<{
    kills: number
    ackedSends: number
    ackedWrites: number
    unanswered: number
    taken: number
    wronglyRefused: number
    endedByItself: number
  }>

/** The times at which the service was killed, in milliseconds since the epoch. */
type Kills = Readonly<{ all: Victim[]; ofService: number[] }>

const killService = async (world: World, kills: Kills): Promise<void> => {
  await world.killService()
  kills.ofService.push(Date.now())
}

const strike: Readonly<Record<Victim, (world: World, kills: Kills) => Promise<void>>> = {
  service: killService,
  postgres: ({ killPostgres }) => killPostgres(),
  backend: ({ killBackend }) => killBackend(),
  both: async (world, kills) => {
    await Promise.all([world.killPostgres(), killService(world, kills)])
  },
  store: async ({ eventStore }) => eventStore?.killAndRestart(),
  wire: async ({ eventStore }) => eventStore?.cut(),
  start: async (world, kills) => {
    await killService(world, kills)
    world.start()
    await sleep(Math.random() * 2_500)
    await killService(world, kills)
  },
}

/** Waits until there is something to lose, however slow the machine. */
const anyAcked = async ({ sends, writes }: Ledger, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted && (sends.length === 0 || writes.count === 0)) await sleep(20)
}

/**
 * Clients write and send while processes are killed (SIGKILL), one victim after the other; after each kill the service has a minute to
 * serve again, started anew only where it was the victim. Then everything that was promised is looked for.
 */
export async function chaos({ victims, clients, seconds, thinkMs, log }: Chaos): Promise<ChaosResult> {
  const world = await startWorld(log)
  const ledger = newLedger()
  const kills: Kills = { all: [], ofService: [] }
  const ending = new AbortController()
  let endedByItself = 0
  try {
    const load = Array.from({ length: clients }, (_, n) =>
      runClient({ api: world.api, ledger, name: `client ${n}`, signal: ending.signal, thinkMs }),
    )
    const loaded = Promise.all(load)
    await Promise.race([anyAcked(ledger, ending.signal), loaded])
    for (const victim of victims) {
      await Promise.race([sleep(500 + Math.random() * (seconds * 1_000 - 500)), loaded])
      if (world.service().ended()) endedByItself++
      await strike[victim](world, kills)
      kills.all.push(victim)
      if (world.service().ended()) world.start()
      await world.service().ready()
    }
    await sleep(1_000)
    ending.abort()
    await loaded
    const audited = await audit(world, ledger, kills)
    return {
      kills: kills.all.length,
      ackedSends: ledger.sends.length,
      ackedWrites: ledger.writes.count,
      unanswered: ledger.unanswered.count,
      taken: ledger.refused.get('409') ?? 0,
      wronglyRefused: [...ledger.refused].reduce((sum, [status, count]) => sum + (status === '409' ? 0 : count), 0),
      endedByItself,
      ...audited,
    }
  } catch (error) {
    throw new Error(`the service said: ${world.service().output().slice(-4_000)}`, { cause: error })
  } finally {
    ending.abort()
    await world.stop()
  }
}
