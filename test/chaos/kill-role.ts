import { setTimeout as sleep } from 'node:timers/promises'
import type { Role } from '@tidings/cli'
import { startTestPostgres } from '@tidings/testing'
import { install } from '../e2e/support/installation.ts'
import { type Stack, startStack } from '../e2e/support/stack.ts'
import { type Audit, audit } from './kill-service.audit.ts'
import { runClient } from './kill-service.client.ts'
import { newLedger } from './kill-service.ledger.ts'
import type { Audited } from './kill-service.world.ts'
import { startSinkProcess } from './sink-process.ts'

/** `victims`: whose process is killed and started again, one after the other. `seconds`: of load before each kill, at most. */
export type RoleChaos = Readonly<{ victims: readonly Role[]; clients: number; seconds: number }>

export type RoleChaosResult = Audit &
  Readonly<{ kills: number; ackedSends: number; ackedWrites: number; unanswered: number; wronglyRefused: number; endedByItself: number }>

type World = Audited & Readonly<{ stack: Stack; stop: () => Promise<void> }>

const startWorld = async (): Promise<World> => {
  const postgres = await startTestPostgres()
  const sink = await startSinkProcess()
  const installation = await install(postgres.url, { TIDINGS_EMAIL_PROVIDER: sink.url })
  const stack = await startStack(installation.env)
  const { slug, key } = await installation.workspace('demo')
  return {
    stack,
    env: installation.env,
    api: { url: stack.url, slug, key },
    eventStore: null,
    taken: sink.taken,
    databaseUrl: async () => postgres.url,
    stop: async () => {
      await stack.stop()
      await installation.close()
      sink.stop()
      await postgres.stop()
    },
  }
}

/** Kills the process of each role in turn, and starts it again within two seconds; answers when senders were killed. */
const strike = async ({ stack }: World, { victims, seconds }: RoleChaos): Promise<readonly number[]> => {
  const ofSenders: number[] = []
  for (const role of victims) {
    await sleep(500 + Math.random() * (seconds * 1_000 - 500))
    await stack.end(role)
    if (role === 'consumers') ofSenders.push(Date.now())
    await sleep(Math.random() * 2_000)
    await stack.restart(role)
  }
  return ofSenders
}

/**
 * Clients write and send through the gateway while one role after the other is killed (SIGKILL). Then everything that was promised is
 * looked for. Where the log lies and what feeds the consumers, `TIDINGS_E2E` says.
 */
export const killRoles = async (chaos: RoleChaos): Promise<RoleChaosResult> => {
  const world = await startWorld()
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
  } finally {
    ending.abort()
    await world.stop()
  }
}
