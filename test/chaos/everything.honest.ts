import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, ask } from './kill-service.client.ts'

/** What one honest client saw: how long its answers took (ms), and how many of its requests had none, or a 5xx. */
export type HonestClientReport = Readonly<{ answered: number; unanswered: number; p50: number; p99: number; slowest: number }>

const THINK_MS = 100

const quantile = (sorted: readonly number[], share: number): number => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)

/** Writes a profile of its own, sends to it and reads it, one request after the other, until the signal. */
export async function runHonestClient(api: Api, signal: AbortSignal): Promise<HonestClientReport> {
  const email = `${randomUUID()}@honest.example`
  const requests = [
    () => ask(api, 'PUT /public/profiles', { body: { email, firstName: randomUUID() } }),
    () => ask(api, `GET /public/profiles/lookup?email=${email}`),
    () => ask(api, 'GET /public/me'),
  ]
  const took: number[] = []
  let unanswered = 0
  for (let n = 0; !signal.aborted; n++, await sleep(THINK_MS)) {
    const started = performance.now()
    const answer = await requests[n % requests.length]?.()
    if (!answer || answer.status >= 500) unanswered++
    else took.push(performance.now() - started)
  }
  took.sort((one, other) => one - other)
  return { answered: took.length, unanswered, p50: quantile(took, 0.5), p99: quantile(took, 0.99), slowest: Math.round(took.at(-1) ?? 0) }
}
