import { setTimeout as sleep } from 'node:timers/promises'
import { type HonestClientReport, runHonestClient } from './everything.honest.ts'
import { type Attacks, attack, SILENT_NAMES } from './everything.hostile.ts'
import { strike, type Trouble } from './everything.troubles.ts'
import { startWorld, type World } from './everything.world.ts'
import { type Audit, audit } from './kill-service.audit.ts'
import { type Api, ask, runClient } from './kill-service.client.ts'
import { type Ledger, newLedger } from './kill-service.ledger.ts'
import type { Audited } from './kill-service.world.ts'

/**
 * `troubles`: one after the other, each beside whatever passes by itself of the one before. `thinkMs`: of a client, between two requests. `calmMs`: of load between troubles. `drainMs`: how
 * long what was accepted may take at the end. `bodiesPauseMs`: of a stranger, between two bodies of 8 MiB.
 */
export type Everything = Readonly<{
  kafka: boolean
  troubles: readonly Trouble[]
  clients: number
  thinkMs?: number
  calmMs: number
  drainMs: number
  bodiesPauseMs?: number
}>

type OfWorkspace = Audit & Readonly<{ ackedSends: number; ackedWrites: number; wronglyRefused: number; unanswered: number }>

export type EverythingResult = Readonly<{
  demo: OfWorkspace
  paused: OfWorkspace
  /** Contacts of `demo` that its endpoint received nothing about, or under several delivery ids. */
  webhooks: Readonly<{ due: number; lost: number; severalIds: number }>
  endedByItself: number
  attacks: Attacks
  honest: HonestClientReport
}>

const WEBHOOKS_MS = 120_000

type Loading = Readonly<{ clients: number; thinkMs: number | undefined; signal: AbortSignal }>

const load = (api: Api, { clients, thinkMs, signal }: Loading) => {
  const ledger = newLedger()
  const running = Array.from({ length: clients }, (_, n) => runClient({ api, ledger, name: `${api.slug} ${n}`, signal, thinkMs }))
  return { ledger, done: Promise.all(running) }
}

const receivedBy = ({ receiver }: World): ReadonlyMap<string, ReadonlySet<string>> => {
  const received = new Map<string, Set<string>>()
  for (const { data, deliveryId } of receiver.at('/hook')) {
    const email = String(data.email)
    received.set(email, (received.get(email) ?? new Set()).add(deliveryId))
  }
  return received
}

const webhooksOf = async (world: World, { contacts }: Ledger): Promise<EverythingResult['webhooks']> => {
  const missing = () => contacts.filter(({ email }) => !receivedBy(world).has(email)).length
  let left = missing()
  for (let deadline = Date.now() + WEBHOOKS_MS; left > 0 && Date.now() < deadline; ) {
    await sleep(1_000)
    const now = missing()
    if (now < left) deadline = Date.now() + WEBHOOKS_MS
    left = now
  }
  const severalIds = [...receivedBy(world).values()].filter(({ size }) => size > 1).length
  return { due: contacts.length, lost: missing(), severalIds }
}

const isUnderWay = ({ silentNames, bodies }: Attacks, ledgers: readonly Ledger[]): boolean =>
  silentNames === SILENT_NAMES && bodies > 1 && ledgers.every(({ sends }) => sends.length > 0)

type Ended = Readonly<{ ledger: Ledger; api: Api; sendersKilled: readonly number[]; drainMs: number; allowed: readonly string[] }>

const auditOf = async (world: World, { ledger, api, sendersKilled, drainMs, allowed }: Ended): Promise<OfWorkspace> => {
  const audited: Audited = {
    env: world.installation.env,
    api,
    eventStore: world.eventStore,
    drainMs,
    databaseUrl: async () => world.postgres.url,
    taken: async () => (await world.relay.relayed()).filter(({ at }) => at.length > 0),
    refused: async () => new Set((await world.relay.relayed()).filter(({ refused }) => refused).map(({ messageId }) => messageId)),
  }
  return {
    ...(await audit(audited, ledger, { ofService: sendersKilled })),
    ackedSends: ledger.sends.length,
    ackedWrites: ledger.writes.count,
    wronglyRefused: [...ledger.refused].reduce((sum, [status, count]) => sum + (allowed.includes(status) ? 0 : count), 0),
    unanswered: ledger.unanswered.count,
  }
}

const run = async (world: World, { troubles, clients, thinkMs, calmMs, drainMs, bodiesPauseMs }: Everything): Promise<EverythingResult> => {
  const ending = new AbortController()
  const { signal } = ending
  try {
    const hook = { url: `${world.receiver.url}/hook`, events: ['contact.created'] }
    const made = await ask(world.demo, 'POST /public/webhooks', { body: hook })
    if (made?.status !== 201) throw new Error(`the endpoint was answered ${made?.status}`)
    const demo = load(world.demo, { clients, thinkMs, signal })
    const paused = load(world.paused, { clients: Math.ceil(clients / 4), thinkMs, signal })
    const attacks: Attacks = { bodies: 0, stalled: 0, strangeMethods: 0, silentNames: 0, events: 0 }
    const attacked = attack({ world, signal, attacks, bodiesPauseMs })
    const honest = runHonestClient(world.demo, signal)
    const all = Promise.all([demo.done, paused.done, attacked, honest])
    const sendersKilled: number[] = []
    const struck = (async () => {
      for (const trouble of troubles) {
        await sleep(calmMs)
        await strike(trouble, { world, calmMs, sendersKilled })
      }
      await sleep(calmMs)
      // All of it was under way, however slow the machine.
      while (!isUnderWay(attacks, [demo.ledger, paused.ledger])) await sleep(100)
    })()
    await Promise.race([struck, all.then(() => struck)])
    ending.abort()
    const [, , , seen] = await all
    const ended = { sendersKilled, drainMs }
    return {
      webhooks: await webhooksOf(world, demo.ledger),
      demo: await auditOf(world, { ...ended, ledger: demo.ledger, api: world.demo, allowed: ['409'] }),
      paused: await auditOf(world, { ...ended, ledger: paused.ledger, api: world.paused, allowed: ['403', '409'] }),
      endedByItself: world.stack.processes().filter((process) => process.ended()).length,
      attacks,
      honest: seen,
    }
  } finally {
    ending.abort()
  }
}

/**
 * Everything at once: clients of two workspaces write and send, a hostile one and strangers without a key do their worst, and one part after
 * the other is killed, slow, away or lies. Then everything that was promised is looked for.
 */
export async function runEverything(everything: Everything): Promise<EverythingResult> {
  const world = await startWorld(everything)
  try {
    return await run(world, everything)
  } catch (error) {
    const said = world.stack.processes().map((process) => process.output().slice(-3_000))
    throw new Error(`the processes said: ${said.join('\n\n')}`, { cause: error })
  } finally {
    await world.stop()
  }
}
