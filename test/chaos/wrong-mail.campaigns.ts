import { setTimeout as sleep } from 'node:timers/promises'
import type { RichCampaign, Run } from './wrong-mail.ledger.ts'
import type { CampaignMove } from './wrong-mail.plan.ts'
import { sayNo } from './wrong-mail.stops.ts'

const SAY_NO_MS = 4_000
const MOVE_MS = 2_000
const PAUSED_MS = 3_000
/** A campaign to the list by rule is over by then, or the audit says how it stands. */
const RICH_MS = 90_000
const OVER = ['sent', 'failed', 'cancelled']

type ShownCampaign = Readonly<{ status: string; audience: number }>

const isPaused = (signal: AbortSignal, ms: number): Promise<unknown> => sleep(ms, undefined, { signal }).catch(() => undefined)

const campaignOf = ({ world: { shop, operate } }: Run, name: string) => {
  const of = ['--workspace', 'shop', '--id', shop.applied.campaigns[name] ?? '']
  return {
    move: (what: string) => operate(['campaign', what, ...of]),
    show: () => operate(['campaign', 'show', ...of]) as Promise<ShownCampaign>,
  }
}

type Moving = Readonly<{ name: string; channel: 'email' | 'sms'; what: CampaignMove }>

const moveCampaign = async (run: Run, { name, channel, what }: Moving): Promise<void> => {
  if (what === 'let be') return
  await sleep(Math.min(MOVE_MS, SAY_NO_MS))
  const { move } = campaignOf(run, name)
  // A small campaign may be over by then: the move is refused, and nothing stops.
  const isMoved = await move(what).then(
    () => true,
    () => false,
  )
  if (!isMoved) return
  const at = Date.now()
  if (what === 'pause') await sleep(PAUSED_MS)
  run.ledger.stops.push({ at, what, channel, to: null, cause: name, until: what === 'pause' ? Date.now() : Number.POSITIVE_INFINITY })
  if (what === 'pause') await move('resume')
}

/** Campaigns to everybody, one after the other, while persons say no. */
export async function runCampaigns(run: Run): Promise<void> {
  const { plan, people } = run.world
  const naysayers = people.filter(({ no }) => no !== null)
  const counts = { email: 0, sms: 0 }
  for (const { channel, move: what, saysNo } of plan.campaigns) {
    if (run.signal.aborted) return
    const name = `${channel === 'email' ? 'mail' : 'text'}${counts[channel]++}`
    await campaignOf(run, name).move('start')
    await Promise.all([sayNo(run, naysayers.splice(0, saysNo), SAY_NO_MS), moveCampaign(run, { name, channel, what })])
    await isPaused(run.signal, 2 * MOVE_MS)
  }
}

const sendRich = async (run: Run, name: string): Promise<RichCampaign> => {
  const startedAt = Date.now()
  const { move, show } = campaignOf(run, name)
  await move('start')
  let shown = await show()
  // Its audience is taken by then; who waits for the gateway may wait on.
  for (
    const deadline = Date.now() + RICH_MS;
    !OVER.includes(shown.status) && shown.audience === 0 && Date.now() < deadline;
    await sleep(500)
  )
    shown = await show()
  return { name, rule: 'narrow', status: shown.status, startedAt, finishedAt: Date.now() }
}

/** The rule of the list becomes narrow and wide again, under the traffic of its members. */
export async function changeRules(run: Run): Promise<void> {
  const { plan, applyRule } = run.world
  let campaigns = 0
  for (const { backAfterMs, restMs } of plan.ruleChanges) {
    if (run.signal.aborted) return
    await applyRule('narrow')
    if (backAfterMs === null) run.ledger.richCampaigns.push(await sendRich(run, `rich${campaigns++}`))
    else await sleep(backAfterMs)
    await applyRule('wide')
    await isPaused(run.signal, restMs)
  }
}
