import { setTimeout as sleep } from 'node:timers/promises'
import type { Role } from '@tidings/service'
import { startTestPostgres } from '@tidings/testing'
import { startGateway } from '../e2e/support/gateway.ts'
import { install } from '../e2e/support/installation.ts'
import { cliCommand, type Environment, freePort, launchProcess, type ServiceProcess } from '../e2e/support/service-process.ts'
import { type Audit, audit } from './kill-service.audit.ts'
import { type Api, ask, runClient } from './kill-service.client.ts'
import { newLedger } from './kill-service.ledger.ts'
import { NOTHING_LOST } from './kill-service.ts'
import type { Before } from './rolling-deploy.before.ts'
import { type Watched, watchUpstreams } from './rolling-deploy.upstreams.ts'
import { startSinkProcess } from './sink-process.ts'

type Version = 'before' | 'this'

/**
 * `before`: what runs at first; null is this version too. `leaves`: how the gateway learns that a process of `before` is about to end: it is not ready, or its address is
 * removed before, as Kubernetes does it. `course`: the versions that all roles are replaced by, one after the other. `betweenMs`: of load before each replacement.
 */
export type Rolling = Readonly<{
  before: Before | null
  leaves: 'not ready' | 'removed'
  course: readonly Version[]
  clients: number
  thinkMs: number
  betweenMs: number
}>

export type RollingResult = Audit &
  Readonly<{
    replaced: number
    ackedSends: number
    ackedWrites: number
    reads: number
    /** Writes and sends without an answer, or with one of 5xx. */
    unanswered: number
    /** Refusals but those of an address that is taken. */
    wronglyRefused: number
    failedReads: readonly string[]
    endedByItself: number
    /** Processes that did not end with 0, or said why on the way. */
    endedBadly: readonly string[]
  }>

/** What a run must say of itself. */
export const NOTHING_FAILED = {
  ...NOTHING_LOST,
  unanswered: 0,
  failedReads: [],
  explainedCopies: 0,
  endedBadly: [],
} as const

/** Longer than two looks of the gateway, each of which has 2 s. */
const DRAIN_SECONDS = '8'

type Reader = Readonly<{ api: Api; signal: AbortSignal; thinkMs: number; failed: (what: string) => void }>

/** Reads one page after the other; answers how many. */
const runReader = async ({ api, signal, thinkMs, failed }: Reader): Promise<number> => {
  let reads = 0
  for (; !signal.aborted; reads++) {
    const answer = await ask(api, `GET /public/${reads % 2 === 0 ? 'profiles?limit=3' : 'me'}`)
    if (answer?.status !== 200) failed(String(answer?.status ?? 'no answer'))
    await sleep(thinkMs)
  }
  return reads
}

type Fleet = Readonly<{
  replace: (role: Role, version: Version) => Promise<void>
  ended: Readonly<{ byItself: number; badly: readonly string[] }>
  stop: () => Promise<void>
}>

type FleetOptions = Readonly<{ env: Environment; rolling: Rolling; upstreams: Watched }>

/** One process of each role; `replace` starts one of the other version beside it, and then ends it. */
const manFleet = ({ env, rolling, upstreams }: FleetOptions): Fleet => {
  const running = new Map<Role, Readonly<{ process: ServiceProcess; version: Version }>>()
  const ended = { byItself: 0, badly: [] as string[] }
  const commandOf = (version: Version, role: Role) => {
    const command = version === 'before' ? rolling.before?.command : undefined
    return (command ?? cliCommand)(['start', role])
  }
  const end = async (role: Role, { process, version }: Readonly<{ process: ServiceProcess; version: Version }>): Promise<void> => {
    if (process.ended()) ended.byItself++
    if (version === 'before' && rolling.leaves === 'removed') upstreams.remove(process.url)
    const { code, signal, stdout, stderr } = await process.end('SIGTERM')
    upstreams.remove(process.url)
    if (code !== 0 || stderr !== '') ended.badly.push(`${role} of ${version}: ${code ?? signal} ${stderr} ${stdout.slice(-500)}`)
  }
  return {
    ended,
    replace: async (role, version) => {
      const old = running.get(role)
      const own = { ...env, PORT: String(await freePort()), TIDINGS_DRAIN_SECONDS: DRAIN_SECONDS, TIDINGS_TRUST_PROXY: '127.0.0.1' }
      const process = launchProcess(own, commandOf(version, role))
      running.set(role, { process, version })
      upstreams.add(role, process.url)
      await process.ready()
      await upstreams.chosen(role, process.url)
      if (old !== undefined) await end(role, old)
    },
    stop: async () => {
      await Promise.all([...running.values()].map(({ process }) => process.end('SIGKILL')))
    },
  }
}

/** What reads the log first, then what may write what it must know (docs/how-to/scale-out.md). */
const ORDER: readonly Role[] = ['relay', 'consumers', 'projectors', 'query-api', 'command-api']

/** Clients write, send and read through a gateway while one process after the other is replaced by one of another version. */
export async function rollingDeploy(rolling: Rolling): Promise<RollingResult> {
  const postgres = await startTestPostgres()
  const sink = await startSinkProcess()
  const installation = await install(postgres.url, { TIDINGS_EMAIL_PROVIDER: sink.url })
  const { env } = installation
  const upstreams = watchUpstreams()
  const gateway = await startGateway({ commandApi: () => upstreams.of('command-api'), queryApi: () => upstreams.of('query-api') })
  const fleet = manFleet({ env, rolling, upstreams })
  const roles = ORDER.filter((role) => role !== 'relay' || env.TIDINGS_KAFKA_BROKERS !== undefined)
  const ending = new AbortController()
  const failedReads: string[] = []
  try {
    await Promise.all(roles.map((role) => fleet.replace(role, 'before')))
    const api = { url: gateway.url, slug: 'demo', key: (await installation.workspace('demo')).key }
    const ledger = newLedger()
    const load = Array.from({ length: rolling.clients }, (_, n) =>
      runClient({ api, ledger, name: `client ${n}`, signal: ending.signal, thinkMs: rolling.thinkMs }),
    )
    const reading = runReader({ api, signal: ending.signal, thinkMs: rolling.thinkMs, failed: (what) => void failedReads.push(what) })
    const steps = rolling.course.flatMap((version) =>
      (version === 'this' ? roles : roles.toReversed()).map((role) => [role, version] as const),
    )
    for (const [role, version] of steps) {
      await sleep(rolling.betweenMs)
      await fleet.replace(role, version)
    }
    await sleep(rolling.betweenMs)
    ending.abort()
    await Promise.all(load)
    const reads = await reading
    const refused = [...ledger.refused].filter(([status]) => status !== '409')
    return {
      replaced: steps.length,
      ackedSends: ledger.sends.length,
      ackedWrites: ledger.writes.count,
      reads,
      unanswered: ledger.unanswered.count,
      wronglyRefused: refused.reduce((sum, [, count]) => sum + count, 0),
      failedReads,
      endedByItself: fleet.ended.byItself,
      endedBadly: fleet.ended.badly,
      ...(await audit({ env, api, eventStore: null, taken: sink.taken, databaseUrl: async () => postgres.url }, ledger, { ofService: [] })),
    }
  } finally {
    ending.abort()
    await fleet.stop()
    await gateway.close()
    await upstreams.stop()
    await installation.close()
    sink.stop()
    await postgres.stop()
  }
}
