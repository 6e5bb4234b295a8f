import { setTimeout as sleep } from 'node:timers/promises'
import { newContext, openEngine, WORKSPACE_ID } from '../lib/engine.ts'
import { EVENTS_A_ROUND, history } from '../lib/history.ts'

/** Fills a log with about so many events, sealed by the product's codec, many appends a commit. `perSecond`: at most so many events; default: all it can. */
export type WriteHistoryInput = Readonly<{ url: string; events: number; perSecond?: number }>
/** `events`: of the whole log; `perSecond`: of those that were written now. */
export type WriteHistoryAnswer = Readonly<{ events: number; contacts: number; seconds: number; perSecond: number }>

/** Rounds under way: a commit takes what 1 MiB holds, which is some eighty. */
const AT_ONCE = 100
const NEWS_MS = 15_000

const { url, events, perSecond = Number.POSITIVE_INFINITY } = JSON.parse(process.argv[2] ?? '{}') as WriteHistoryInput
const engine = await openEngine(url)
const rounds = Math.ceil(events / EVENTS_A_ROUND)
const digest = (email: string) => engine.keyRing.claimDigest(WORKSPACE_ID, 'email', email)

const started = performance.now()
let news = started
let done = 0
/** A stream's later append comes by a later round, which waits for those under way: they follow each other by far more than these. */
const underWay: Promise<unknown>[] = []
for await (const round of history({ rounds, digest })) {
  underWay.push(Promise.all(round.map(({ stream, expected, events: some }) => engine.log.append(stream, expected, some, newContext()))))
  done += 1
  const due = started + ((done * EVENTS_A_ROUND) / perSecond) * 1_000
  if (due > performance.now() + 5) await sleep(due - performance.now())
  if (underWay.length < AT_ONCE) continue
  await underWay.shift()
  if (performance.now() - news < NEWS_MS) continue
  news = performance.now()
  process.stderr.write(`  ${done * EVENTS_A_ROUND} events, ${Math.round((done * EVENTS_A_ROUND) / ((news - started) / 1_000))}/s\n`)
}
await Promise.all(underWay)
const seconds = (performance.now() - started) / 1_000
const { commit } = await engine.log.head()
await engine.close()
const answer = { events: Number(commit), contacts: rounds, seconds, perSecond: (done * EVENTS_A_ROUND) / seconds }
process.stdout.write(`${JSON.stringify(answer satisfies WriteHistoryAnswer)}\n`)
