import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import type { RebuildAnswer } from '../bench/workers/rebuild.ts'
import type { TakenMail } from './kill-service.sink.ts'
import { textOf } from './page-text.ts'
import { PROJECTION, type RebuildChaos, type RebuildWorld, startRebuildWorld } from './rebuild-watched.world.ts'

type Act = 'build' | 'compare' | 'swap' | 'swapBack'

/** What the row of the projection says at the end of each act, and what the campaign beside it came to. */
export type RebuildResult = Readonly<{
  /** The first build of the projection, in a process with nothing else to do. */
  alone: RebuildAnswer
  interrupted: string
  said: Readonly<Record<Act, string>>
  /** From the press to the word of the row. */
  seconds: Readonly<Record<Act, number>>
  /** How the progress of the second build went: looks at which it was more, and less, than before, and the longest time without either. */
  progress: Watched
  /** The most memory that the process ever held which built, in MB. */
  peakMb: number
  campaign: CampaignResult
  /** Documents that the pages loaded after the sign-in. */
  loaded: number
  problems: readonly string[]
}>

type Watched = { forwards: number; backwards: number; stoodSeconds: number }

/** `second`: mails beyond the first message of a recipient; `copies`: of one message, which a kill between a provider's yes and the append may do. */
type CampaignResult = Readonly<{ missing: number; second: number; copies: number; sentBeforeKill: number; seconds: number }>

const LOOK_MS = 250
/** The part of the log that is done at the kill. */
const KILLED_AT = 0.2

/** Marks that keep a name or a number together beside Hebrew. */
const ISOLATES = /[\u2068\u2069]/g

const rowOf = (page: Page) => page.getByRole('row', { name: new RegExp(`^${PROJECTION} `) })

const secondsSince = (began: number): number => Math.round((performance.now() - began) / 100) / 10

/** The part of the log that the row says is reached; null where it says none. */
const reachedIn = (text: string): number | null => {
  const [, done, total] = /(-?[\d,]+) of (-?[\d,]+)/.exec(text) ?? []
  if (done === undefined || total === undefined) return null
  const [part, whole] = [done, total].map((number) => Number(number.replaceAll(',', ''))) as [number, number]
  if (whole <= 0 || part < 0) throw new Error(`the row says: ${text}`)
  return part / whole
}

const newWatch = (): Watched => ({ forwards: 0, backwards: 0, stoodSeconds: 0 })

/** Looks at the row until it says what is waited for, and answers that text. */
const watch = async (page: Page, watched: Watched, isThere: (text: string, reached: number | null) => boolean): Promise<string> => {
  let [reached, moved] = [0, performance.now()]
  for (;;) {
    const text = (await textOf(rowOf(page))).replace(ISOLATES, '')
    const now = reachedIn(text)
    if (isThere(text, now)) return text
    if (/failed/.test(text)) throw new Error(`the row says: ${text}`)
    if (now !== null && now > reached) watched.forwards++
    if (now !== null && now < reached) watched.backwards++
    if (now === null || now !== reached) [reached, moved] = [now ?? 0, performance.now()]
    watched.stoodSeconds = Math.max(watched.stoodSeconds, secondsSince(moved))
    await sleep(LOOK_MS)
  }
}

const press = (page: Page, verb: string) => page.getByRole('button', { name: `${verb}: ${PROJECTION}`, exact: true }).click()

/** Presses, and says the name of the projection where that is asked for. */
const confirm = async (page: Page, verb: string): Promise<void> => {
  await press(page, verb)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill(PROJECTION)
  await dialog.getByRole('button', { name: verb, exact: true }).click()
}

const peakMbOf = async ({ stack }: RebuildWorld): Promise<number> => {
  const status = await readFile(`/proc/${stack.of('consumers').pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)
}

/** Starts the campaign in the other tab; `whole` resolves when its page says that all have left, with the time that took. */
const sendCampaign = async (page: Page): Promise<Readonly<{ whole: Promise<number> }>> => {
  await page.getByRole('link', { name: 'Campaigns', exact: true }).click()
  await page.getByRole('link', { name: 'Spring', exact: true }).click()
  await page.getByRole('button', { name: 'Start sending' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Start sending' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const began = performance.now()
  const sent = page.getByRole('region', { name: 'Figures' }).getByText('100 %').waitFor({ timeout: 0 })
  return { whole: sent.then(() => secondsSince(began)) }
}

const salesOf = async ({ sink }: RebuildWorld) => (await sink.taken()).filter(({ subject }) => subject.startsWith('Sale '))

const countsOf = (sales: readonly TakenMail[], recipients: number) => {
  const reached = new Set(sales.map(({ subject }) => subject)).size
  return {
    missing: recipients - reached,
    second: sales.length - reached,
    copies: sales.reduce((sum, { at }) => sum + at.length - 1, 0),
  }
}

/** Begins to build, and kills the process that does it when the page shows that a part is done; answers what the row says then. */
const buildUntilKilled = async (world: RebuildWorld, beside: () => Promise<void>) => {
  const { operator: page, stack } = world
  await press(page, 'Build beside')
  await beside()
  await watch(page, newWatch(), (text, reached) => {
    if (/v\d+ built/.test(text)) throw new Error('it was built before the kill: more people are needed')
    return reached !== null && reached > KILLED_AT
  })
  const sentBeforeKill = (await salesOf(world)).length
  await stack.end('consumers')
  await stack.restart('consumers')
  return { sentBeforeKill, interrupted: await watch(page, newWatch(), (text) => text.includes('interrupted')) }
}

/** What the operator does after the kill, act by act. */
const finish = async (world: RebuildWorld): Promise<Pick<RebuildResult, 'said' | 'seconds' | 'progress' | 'peakMb'>> => {
  const { operator: page } = world
  const progress = newWatch()
  const timed = async (asked: Promise<void>, end: RegExp, watched = newWatch()) => {
    const began = performance.now()
    await asked
    const said = await watch(page, watched, (text) => end.test(text))
    return { said, seconds: secondsSince(began) }
  }
  const build = await timed(press(page, 'Build beside'), /v\d+ built/, progress)
  const peakMb = await peakMbOf(world)
  const compare = await timed(press(page, 'Compare'), /Compare:\W+done/)
  const swap = await timed(confirm(page, 'Swap'), /Swap:\W+done/)
  const swapBack = await timed(confirm(page, 'Swap back'), /Swap back:\W+done/)
  return {
    said: { build: build.said, compare: compare.said, swap: swap.said, swapBack: swapBack.said },
    seconds: { build: build.seconds, compare: compare.seconds, swap: swap.seconds, swapBack: swapBack.seconds },
    ...{ progress, peakMb },
  }
}

/** An operator builds a projection beside, compares, swaps and swaps back, while a campaign is sent in another tab; the process that builds is killed on the way. */
export async function watchRebuild(browser: Browser, chaos: RebuildChaos): Promise<RebuildResult> {
  const world = await startRebuildWorld(browser, chaos)
  const { stack, operator: page, marketer } = world
  const campaign = { whole: Promise.resolve(0) }
  const state = { loaded: 0 }
  for (const tab of [page, marketer]) tab.on('domcontentloaded', () => state.loaded++)
  try {
    await page.getByRole('link', { name: 'Projections', exact: true }).click()
    const { interrupted, sentBeforeKill } = await buildUntilKilled(world, async () => {
      campaign.whole = (await sendCampaign(marketer)).whole
      campaign.whole.catch(() => undefined) // awaited below
    })
    const finished = await finish(world)
    const seconds = await campaign.whole
    const counts = countsOf(await salesOf(world), chaos.recipients)
    const { alone, problems } = world
    return { alone, interrupted, ...finished, campaign: { ...counts, sentBeforeKill, seconds }, ...state, problems: problems() }
  } catch (error) {
    const said = stack.processes().map((process) => process.output().slice(-3_000))
    throw new Error(`the page shows: ${await textOf(page.locator('body'))}\nthe processes said: ${said.join('\n\n')}`, { cause: error })
  } finally {
    await world.stop()
  }
}
