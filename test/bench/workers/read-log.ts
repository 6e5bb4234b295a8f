import { openEngine, WORKSPACE_ID } from '../lib/engine.ts'
import { percentile } from '../lib/report.ts'

/** Streams one by one, each for the first time, and pages of the log, opened: `from` is how many events before the page are left out. */
export type ReadLogInput = Readonly<{ url: string; streams: readonly string[]; from: readonly number[]; events: number }>
export type ReadLogAnswer = Readonly<{ streamP50: number; streamP95: number; perSecond: readonly number[] }>

const PAGE = 2_000
/** A short log is read several times. */
const AT_LEAST = 50_000

const { url, streams, from, events } = JSON.parse(process.argv[2] ?? '{}') as ReadLogInput
const engine = await openEngine(url)

const took: number[] = []
for (const stream of streams) {
  const begun = performance.now()
  await engine.log.readStream(WORKSPACE_ID, stream)
  took.push(performance.now() - begun)
}

const perSecond: number[] = []
const readFrom = async (before: number): Promise<number> => {
  let read = 0
  for await (const { events: page } of engine.log.pages({ commit: BigInt(before), prepare: 0n }, PAGE)) {
    read += page.length
    if (read >= events) break
  }
  return read
}

for (const before of from) {
  const begun = performance.now()
  let read = 0
  while (read < AT_LEAST) read += await readFrom(before)
  perSecond.push(read / ((performance.now() - begun) / 1_000))
}
await engine.close()
const answer: ReadLogAnswer = { streamP50: percentile(took, 0.5), streamP95: percentile(took, 0.95), perSecond }
process.stdout.write(`${JSON.stringify(answer)}\n`)
