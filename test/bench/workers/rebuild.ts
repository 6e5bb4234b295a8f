import { rebuild } from '@tidings/projections'
import { projectionNamed, rebuildThreads } from '@tidings/projectors'
import { MASTER_KEY, openEngine } from '../lib/engine.ts'

/** One rebuild in a new process: nothing is cached, as in `tidings projection rebuild`. */
export type RebuildInput = Readonly<{ url: string; projection: string; threads: number }>
/** `peakMb`: the most memory that the process ever held. */
export type RebuildAnswer = Readonly<{ events: number; seconds: number; parked: number; cpuSeconds: number; peakMb: number }>

const { url, projection, threads: count } = JSON.parse(process.argv[2] ?? '{}') as RebuildInput
const engine = await openEngine(url)
const before = process.cpuUsage()
const { log, workPool: pool } = engine
const threads = rebuildThreads({ url, masterKeys: [MASTER_KEY] }, count)
const { events, seconds, parked } = await rebuild({ projection: projectionNamed(projection), log, pool, threads })
const { user, system } = process.cpuUsage(before)
await engine.close()
const cpuSeconds = (user + system) / 1e6
const peakMb = (process.resourceUsage().maxRSS * 1_024) / 1e6
process.stdout.write(`${JSON.stringify({ events, seconds, parked, cpuSeconds, peakMb } satisfies RebuildAnswer)}\n`)
