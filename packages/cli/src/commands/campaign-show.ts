import { setTimeout as sleep } from 'node:timers/promises'
import { campaignFigures, type ShownCampaign } from '@tidings/administration'
import { untilVisible } from '@tidings/service/read-side'
import { existingCampaign, type OfCampaign } from '../operator/existing-campaign.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import type { Answer } from '../terminal/answer.ts'
import { startProgress } from '../terminal/progress.ts'

type Showing = OfCampaign & Readonly<{ watch: boolean; json: boolean }>

/** The figures wait this long for the read side, as a write does (M2). */
const VISIBLE_MS = 2_000
const WATCH_MS = 1_000
const BAR_WIDTH = 30

/** `tidings campaign show`. With `--watch` it goes on until the campaign is over. */
export function show({ watch, json, ...of }: Showing): Promise<void> {
  return withOperator(json, async (operator) => answerOf(watch ? await watched(operator, of) : await current(operator, of)))
}

type Current = Readonly<{ shown: ShownCampaign; isUpToDate: boolean }>

const current = async (operator: Operator, of: OfCampaign): Promise<Current> => {
  const { pool, log } = operator.stores
  const known = await existingCampaign(operator, of)
  const isUpToDate = await untilVisible(pool, await log.head(), { timeoutMs: VISIBLE_MS })
  return { shown: await campaignFigures(pool, known), isUpToDate }
}

const isOver = ({ status }: ShownCampaign): boolean => status === 'sent' || status === 'cancelled' || status === 'failed'

const watched = async (operator: Operator, of: OfCampaign): Promise<Current> => {
  let now = await current(operator, of)
  const progress = await startProgress(now.shown.name)
  try {
    while (!isOver(now.shown)) {
      progress.update(doneOf(now.shown), now.shown.audience)
      await sleep(WATCH_MS)
      now = await current(operator, of)
    }
    progress.update(doneOf(now.shown), now.shown.audience)
    return now
  } finally {
    progress.stop()
  }
}

const doneOf = ({ audience, waiting, queued }: ShownCampaign): number => audience - waiting - queued

const answerOf = ({ shown, isUpToDate }: Current): Answer => ({
  json: isUpToDate ? shown : { ...shown, pending: true },
  lines: [...linesOf(shown), ...(isUpToDate ? [] : ['The read side is behind: these are the figures of a moment ago.'])],
})

const linesOf = (shown: ShownCampaign): readonly string[] => {
  const { name, status, reason, audience, startedAt, finishedAt, perMinute, secondsLeft } = shown
  const figures = Object.entries(shown).flatMap(([figure, value]) => (isCount(figure, value) ? [lineOf(figure, value)] : []))
  return [
    `${name} is ${status}${reason === null ? '' : ` (${reason})`}.`,
    ...(reason === 'rule_computing' ? ['The rule of its list has not reached every contact yet: the audience is taken when it has.'] : []),
    ...(audience === 0 ? [] : [barOf(shown)]),
    ...figures,
    ...(['skipped', 'suppressed', 'failed'] as const).flatMap((outcome) =>
      Object.entries(shown[outcome]).map(([why, messages]) => lineOf(`${outcome}: ${why}`, messages)),
    ),
    ...(startedAt === null ? [] : [`started   ${startedAt}`]),
    ...(finishedAt === null ? [] : [`finished  ${finishedAt}`]),
    ...(perMinute === null ? [] : [`rate      ${perMinute} a minute`]),
    ...(secondsLeft === null ? [] : [`left      ${secondsLeft} s`]),
  ]
}

const isCount = (figure: string, value: unknown): value is number =>
  typeof value === 'number' && figure !== 'perMinute' && figure !== 'secondsLeft'

const lineOf = (what: string, messages: number): string => `${String(messages).padStart(9)}  ${what}`

const barOf = (shown: ShownCampaign): string => {
  const part = shown.audience === 0 ? 0 : doneOf(shown) / shown.audience
  const full = Math.round(part * BAR_WIDTH)
  return `[${'='.repeat(full)}${'-'.repeat(BAR_WIDTH - full)}] ${Math.floor(part * 100)} %`
}
