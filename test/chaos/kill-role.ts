import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Role } from '@tidings/service'
import { startTestPostgres } from '@tidings/testing'
import { install } from '../e2e/support/installation.ts'
import { type Stack, startStack } from '../e2e/support/stack.ts'
import { type Audit, audit } from './kill-service.audit.ts'
import { runClient } from './kill-service.client.ts'
import { type LogPlace, startChaosEventStore } from './kill-service.event-store.ts'
import { newLedger } from './kill-service.ledger.ts'
import type { STORE_VICTIMS } from './kill-service.ts'
import type { Audited } from './kill-service.world.ts'
import { startSinkProcess } from './sink-process.ts'

/** The process of a role; or, where the log lies in EventStoreDB, its server or the wire to it. */
export type RoleVictim = Role | (typeof STORE_VICTIMS)[number]

/** `victims`: whose process is killed and started again, one after the other. `seconds`: of load before each kill, at most. `log`: where it lies; default Postgres. */
export type RoleChaos = Readonly<{ victims: readonly RoleVictim[]; clients: number; seconds: number; log?: LogPlace }>

export type RoleChaosResult = Audit &
  Readonly<{ kills: number; ackedSends: number; ackedWrites: number; unanswered: number; wronglyRefused: number; endedByItself: number }>

type World = Audited & Readonly<{ stack: Stack; stop: () => Promise<void> }>

const startWorld = async (log: LogPlace): Promise<World> => {
  const folder = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
  const eventStore = log === 'eventstoredb' ? await startChaosEventStore(join(folder, 'events')) : null
  const postgres = await startTestPostgres()
  const sink = await startSinkProcess()
  const installation = await install(postgres.url, {
    TIDINGS_EMAIL_PROVIDER: sink.url,
    ...(eventStore && { TIDINGS_EVENT_STORE: eventStore.connectionString }),
  })
  const stack = await startStack(installation.env)
  const { slug, key } = await installation.workspace('demo')
  return {
    stack,
    env: installation.env,
    api: { url: stack.url, slug, key },
    eventStore,
    taken: sink.taken,
    databaseUrl: async () => postgres.url,
    stop: async () => {
      await stack.stop()
      await installation.close()
      sink.stop()
      await postgres.stop()
      await eventStore?.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Kills each victim in turn, and starts it again within two seconds; answers when senders were killed. */
const strike = async ({ stack, eventStore }: World, { victims, seconds }: RoleChaos): Promise<readonly number[]> => {
  const ofSenders: number[] = []
  for (const victim of victims) {
    await sleep(500 + Math.random() * (seconds * 1_000 - 500))
    if (victim === 'store') await eventStore?.killAndRestart()
    else if (victim === 'wire') await eventStore?.cut()
    else {
      await stack.end(victim)
      if (victim === 'consumers') ofSenders.push(Date.now())
      await sleep(Math.random() * 2_000)
      await stack.restart(victim)
    }
  }
  return ofSenders
}

/**
 * Clients write and send through the gateway while one role after the other is killed (SIGKILL). Then everything that was promised is
 * looked for. What feeds the consumers, `TIDINGS_E2E` says.
 */
export async function killRoles(chaos: RoleChaos): Promise<RoleChaosResult> {
  const world = await startWorld(chaos.log ?? 'postgres')
  const ledger = newLedger()
  const ending = new AbortController()
  try {
    const clients = Array.from({ length: chaos.clients }, (_, n) =>
      runClient({ api: world.api, ledger, name: `client ${n}`, signal: ending.signal }),
    )
    const loaded = Promise.all(clients)
    const struck = strike(world, chaos)
    const ofSenders = await Promise.race([struck, loaded.then(() => struck)])
    await sleep(1_000)
    ending.abort()
    await loaded
    return {
      kills: chaos.victims.length,
      ackedSends: ledger.sends.length,
      ackedWrites: ledger.writes.count,
      unanswered: ledger.unanswered.count,
      wronglyRefused: [...ledger.refused].reduce((sum, [status, count]) => sum + (status === '409' ? 0 : count), 0),
      endedByItself: world.stack.processes().filter((process) => process.ended()).length,
      ...(await audit(world, ledger, { ofService: ofSenders })),
    }
  } catch (error) {
    const said = world.stack.processes().map((process) => process.output().slice(-3_000))
    throw new Error(`the processes said: ${said.join('\n\n')}`, { cause: error })
  } finally {
    ending.abort()
    await world.stop()
  }
}
