import { threadId } from 'node:worker_threads'
import { serveJobs } from '../../src/threads/serve-jobs.ts'

/** Settings of the test: `fail`, `die` and `stall` are numbers of jobs; of threads whose number is odd (1) or even (0), as `broken` says, none opens. A third job at once fails. */
export type EchoData = Readonly<{ fail: readonly number[]; die: number | null; stall: number | null; broken?: number | null }>
export type Echo = Readonly<{ n: number; bytes: Uint8Array }>

serveJobs<EchoData, number, Echo>(async ({ fail, die, stall, broken }) => {
  if (threadId % 2 === broken) throw new Error('no connection is left')
  let atOnce = 0
  return async (n) => {
    if (atOnce === 2) throw new RangeError('a third job at once')
    atOnce++
    await new Promise((resolve) => setTimeout(resolve, (n * 7) % 5))
    atOnce--
    if (n === stall) await new Promise(() => undefined)
    if (n === die) process.exit(7)
    if (fail.includes(n)) throw new TypeError(`job ${n}`)
    return { n, bytes: new Uint8Array([n]) }
  }
})
