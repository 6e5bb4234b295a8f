import { setTimeout as sleep } from 'node:timers/promises'
import { type Audit, auditOf, judgedOf, leftOut, unsent, waiting } from './wrong-mail.audit.ts'
import { changeRules, runCampaigns } from './wrong-mail.campaigns.ts'
import { type Ledger, newLedger, type Run } from './wrong-mail.ledger.ts'
import { PROJECTORS, planOf } from './wrong-mail.plan.ts'
import { reportOf } from './wrong-mail.report.ts'
import { askForPasscodes, changeFacts, sendReceipts } from './wrong-mail.traffic.ts'
import { startWorld, type World } from './wrong-mail.world.ts'

/** `restartMs`: from the start of one process until the end of another, every second of which is the projectors; `drainMs`: for what waits at the end. */
export type WrongMail = Readonly<{ seed: number; people: number; seconds: number; restartMs: number; drainMs: number }>

const LOOK_MS = 1_000
/** Nothing has come for so long that nothing will. */
const QUIET_MS = 6_000
const AWAY_MS = 500

/** Ends the projectors and another process in turn, and starts them again. */
const endProcesses = async ({ world: { stack, plan }, ledger, signal }: Run, everyMs: number): Promise<void> => {
  for (const [n, victim] of plan.victims.entries()) {
    await sleep(everyMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    const [seat, from] = [n % 2 === 0 ? PROJECTORS : victim, Date.now()]
    await stack.end(seat, n % 4 === 0 ? 'SIGTERM' : 'SIGKILL')
    await sleep(AWAY_MS)
    // A busy machine may need longer than the minute that a start has.
    await stack.restart(seat).catch(() => stack.processes()[seat]?.ready())
    ledger.kills.push({ seat, from, to: Date.now() })
  }
}

/** Waits until nothing is left that a provider may still take, or so long that the audit says what is. */
const drain = async (world: World, ledger: Ledger, drainMs: number): Promise<void> => {
  const judged = judgedOf(world, ledger)
  // What is refused comes again and again.
  const countTaken = (): number => world.providers.arrivals.filter(({ answered }) => answered).length
  let [count, since] = [countTaken(), Date.now()]
  for (const deadline = Date.now() + drainMs; Date.now() < deadline; await sleep(LOOK_MS)) {
    const taken = countTaken()
    if (taken !== count) [count, since] = [taken, Date.now()]
    const isOver = Date.now() - since > QUIET_MS && leftOut(judged).length === 0
    if (isOver && (await waiting(judged)).length === 0 && (await unsent(judged)).length === 0) return
  }
}

const run = async (world: World, { seconds, restartMs, drainMs }: WrongMail): Promise<Readonly<{ audit: Audit; ledger: Ledger }>> => {
  const ending = new AbortController()
  const ledger = newLedger()
  const on: Run = { world, ledger, signal: ending.signal, forgotten: new Set() }
  const acts = [changeFacts(on), sendReceipts(on), askForPasscodes(on), runCampaigns(on), changeRules(on), endProcesses(on, restartMs)]
  const all = Promise.all(acts)
  try {
    await Promise.race([sleep(seconds * 1_000), all])
  } finally {
    ending.abort()
  }
  await all
  await drain(world, ledger, drainMs)
  return { audit: await auditOf(judgedOf(world, ledger)), ledger }
}

/**
 * Campaigns, flows, rules that change, people who say no and people who are forgotten, all at once, beside processes whose clocks differ and which
 * are killed and providers that are partly away. Then everything that reached a provider is judged.
 */
export async function runWrongMail(wanted: WrongMail): Promise<Audit & Readonly<{ report: string }>> {
  const world = await startWorld(planOf(wanted.seed, wanted.people))
  try {
    const { audit, ledger } = await run(world, wanted)
    return { ...audit, report: await reportOf(world, ledger, audit) }
  } catch (error) {
    const said = world.stack.processes().map((process) => process.output().slice(-2_000))
    throw new Error(`seed ${wanted.seed}; the processes said: ${said.join('\n\n')}`, { cause: error })
  } finally {
    await world.stop()
  }
}
