import { enableCompileCache } from 'node:module'
import { openKeyRing } from '@tidings/codec'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { growTree, openLogKey, signDueHead, verifyLog } from '@tidings/evidence/proof'
import { createPool } from '@tidings/postgres'
import { MASTER_KEY } from '../lib/engine.ts'

/**
 * One pass in a new process, as in `tidings log verify`. `grow`: the tree is made, which a running service has done by then. `cache`: the folder of
 * the compile cache, which the command line has too, and its threads take over.
 */
export type VerifyLogInput = Readonly<{ url: string; grow: boolean; threads: number; cache: string }>
export type VerifyLogAnswer = Readonly<{ events: number; seconds: number; cpuSeconds: number; peakMb: number; problems: number }>

const { url, grow, threads, cache } = JSON.parse(process.argv[2] ?? '{}') as VerifyLogInput
enableCompileCache(cache)
const pool = createPool({ url, max: 4, name: 'bench' })
const store = postgresEventStore({ pool })
const key = await openLogKey(await openKeyRing({ pool, masterKey: MASTER_KEY }))

const verify = async (): Promise<Readonly<{ events: number; problems: number }>> => {
  const { events, problems } = await verifyLog({
    pool,
    store,
    readers: { url, threads },
    key,
    anchorFile: null,
    restart: true,
    onProgress: () => undefined,
  })
  return { events, problems: problems.length }
}
const make = async (): Promise<Readonly<{ events: number; problems: number }>> => {
  const events = await growTree({ pool, store })
  await signDueHead(pool, key, { everyMs: 0, everyEvents: 1 }, () => new Date())
  return { events, problems: 0 }
}

const [before, start] = [process.cpuUsage(), performance.now()]
const done = await (grow ? make() : verify())
const { user, system } = process.cpuUsage(before)
const seconds = (performance.now() - start) / 1_000
await store.close()
await pool.end()
const peakMb = (process.resourceUsage().maxRSS * 1_024) / 1e6
process.stdout.write(`${JSON.stringify({ ...done, seconds, cpuSeconds: (user + system) / 1e6, peakMb } satisfies VerifyLogAnswer)}\n`)
