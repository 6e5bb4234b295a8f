import { serveJobs } from './serve-jobs.ts'

/** For the test: `fail` and `die` are numbers of jobs, and `data` is what the thread was given. */
export type EchoData = Readonly<{ fail: readonly number[]; die: number | null; stall: number | null }>
export type Echo = Readonly<{ n: number; bytes: Uint8Array }>

serveJobs<EchoData, number, Echo>(async ({ fail, die, stall }) => async (n) => {
  await new Promise((resolve) => setTimeout(resolve, (n * 7) % 5))
  if (n === stall) await new Promise(() => undefined)
  if (n === die) process.exit(7)
  if (fail.includes(n)) throw new TypeError(`job ${n}`)
  return { n, bytes: new Uint8Array([n]) }
})
