import { setTimeout as sleep } from 'node:timers/promises'
import { comparePositions } from '@tidings/event-store'
import { createProgress } from '@tidings/projections'
import { startProjectors } from '@tidings/projectors'
import { openEngine } from '../lib/engine.ts'

/** All projections of one process follow a log until they show its end, as after a start on a restored log. */
export type CatchUpInput = Readonly<{ url: string }>
export type CatchUpAnswer = Readonly<{ seconds: number; cpuSeconds: number; peakMb: number }>

const NEWS_MS = 15_000
const LOOK_MS = 200

const { url } = JSON.parse(process.argv[2] ?? '{}') as CatchUpInput
const engine = await openEngine(url)
const progress = createProgress()
const head = await engine.log.head()
const [started, before] = [performance.now(), process.cpuUsage()]
const projectors = startProjectors({
  log: engine.log,
  pool: engine.workPool,
  progress,
  onFailure: (name, error) => {
    process.stderr.write(`  ${name}: ${String(error)}\n`)
    process.exit(1)
  },
})
const isBehind = (): boolean => {
  const known = [...progress.all().values()]
  return known.length === 0 || known.some(({ position }) => comparePositions(position, head) < 0)
}
let news = started
while (isBehind()) {
  await sleep(LOOK_MS)
  if (performance.now() - news < NEWS_MS) continue
  news = performance.now()
  const slowest = Math.min(...[...progress.all().values()].map(({ position }) => Number(position.commit)))
  process.stderr.write(`  the last projection is at ${slowest} of ${head.commit}, ${Math.round((news - started) / 1_000)} s\n`)
}
const seconds = (performance.now() - started) / 1_000
const { user, system } = process.cpuUsage(before)
await projectors.stop()
await engine.close()
const peakMb = (process.resourceUsage().maxRSS * 1_024) / 1e6
process.stdout.write(`${JSON.stringify({ seconds, cpuSeconds: (user + system) / 1e6, peakMb } satisfies CatchUpAnswer)}\n`)
