import { rebuild } from '@tidings/projections'
import { projectionNamed } from '@tidings/projectors'
import { openEngine } from '../lib/engine.ts'

/** One rebuild in a fresh process: nothing is cached, as in `tidings projection rebuild`. */
export type RebuildInput = Readonly<{ url: string; projection: string }>
export type RebuildAnswer = Readonly<{ events: number; seconds: number; parked: number; cpuSeconds: number }>

const { url, projection } = JSON.parse(process.argv[2] ?? '{}') as RebuildInput
const engine = await openEngine(url)
const before = process.cpuUsage()
const { events, seconds, parked } = await rebuild({ projection: projectionNamed(projection), log: engine.log, pool: engine.workPool })
const { user, system } = process.cpuUsage(before)
await engine.close()
process.stdout.write(`${JSON.stringify({ events, seconds, parked, cpuSeconds: (user + system) / 1e6 } satisfies RebuildAnswer)}\n`)
