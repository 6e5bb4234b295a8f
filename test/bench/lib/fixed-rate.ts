import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadPlan, LoadResult } from './load-plan.ts'

/** What is made of the number of a request. */
export type Fill = (n: number) => string

type RatePlan = Pick<LoadPlan, 'url' | 'method' | 'headers' | 'connections' | 'seconds' | 'from'> &
  Readonly<{ rate: number; path: Fill; body: Fill | undefined }>

/** Latencies are from when a request was due. */
export type RateResult = Omit<LoadResult, 'perSecond' | 'startedAt' | 'cpuSeconds'>

/**
 * Sends evenly, whatever the answers do, and waits for the last one. autocannon's own rate is a budget a second: it sends all of a second's
 * requests at its beginning, and what is measured is how long a crowd waits.
 */
export async function runAtRate(plan: RatePlan): Promise<RateResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: plan.connections })
  const latencies: number[] = []
  const tally = { pending: 0, refused: 0, refusal: null as string | null }
  const ask = async (n: number, due: number): Promise<void> => {
    try {
      const response = await answerTo(plan, agent, n)
      const answer = await text(response)
      latencies.push(performance.now() - due)
      if (response.headers['x-consistency'] !== undefined) tally.pending++
      if ((response.statusCode ?? 500) >= 300) throw new Error(`${response.statusCode} ${answer}`)
    } catch (error) {
      tally.refused++
      tally.refusal ??= (error as Error).message
    }
  }
  const asked: Promise<void>[] = []
  const started = performance.now()
  const total = plan.rate * plan.seconds
  while (asked.length < total) {
    const due = started + (asked.length * 1_000) / plan.rate
    if (due > performance.now()) await sleep(1)
    else asked.push(ask(plan.from + asked.length, due))
  }
  await Promise.all(asked)
  agent.destroy()
  latencies.sort((a, b) => a - b)
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0
  return { ...tally, p50: at(0.5), p99: at(0.99), answered: asked.length - tally.refused, next: plan.from + total }
}

const answerTo = ({ url, method, headers, path, body }: RatePlan, agent: Agent, n: number): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sent = body?.(n)
    const length = sent === undefined ? {} : { 'Content-Length': Buffer.byteLength(sent) }
    request(new URL(path(n), url), { method, agent, headers: { ...headers, ...length } }, resolve)
      .on('error', reject)
      .end(sent)
  })
