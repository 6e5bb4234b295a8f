import autocannon from 'autocannon'
import { type Fill, type RateResult, runAtRate } from './fixed-rate.ts'
import type { LoadPlan, LoadResult } from './load-plan.ts'

/**
 * The load generator: a process of its own, so that no side's event loop is measured with it.
 * Reads one JSON argument, a `LoadPlan`, answers one JSON line, a `LoadResult`; the parent is `children.ts`.
 */

const filling = (template: string, { of = 1, values = [], groups = [] }: LoadPlan): Fill => {
  const parts = template.split(/\{(n|m|value|group)\}/)
  const filled = (name: string, n: number): string => {
    if (name === 'n') return String(n)
    if (name === 'm') return String(n % of)
    return (name === 'value' ? values[n % values.length] : groups[Math.floor(n / values.length) % groups.length]) ?? ''
  }
  return (n) => parts.map((part, place) => (place % 2 === 0 ? part : filled(part, n))).join('')
}

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

type Filled = Readonly<{ path: Fill; body: Fill | undefined }>

const runUnlimited = async (plan: LoadPlan, { path, body }: Filled): Promise<RateResult> => {
  const state = { next: plan.from, pending: 0, refusal: null as string | null }
  const result = await autocannon({
    url: plan.url,
    connections: plan.connections,
    duration: plan.seconds,
    requests: [
      {
        method: plan.method,
        headers: { ...plan.headers },
        setupRequest: (request) => {
          const n = state.next++
          return { ...request, path: path(n), ...(body && { body: body(n) }) }
        },
        onResponse: (status, answer) => {
          if (status >= 300) state.refusal ??= `${status} ${answer}`
        },
      },
    ],
    setupClient: (client) => {
      client.on('headers', ({ headers }) => {
        if ((headers as readonly unknown[]).includes('x-consistency')) state.pending++
      })
    },
  })
  return {
    p50: result.latency.p50,
    p99: result.latency.p99,
    answered: result['2xx'],
    refused: result.non2xx + result.errors,
    refusal: state.refusal ?? (result.errors > 0 ? `${result.errors} errors, ${result.timeouts} of them timeouts` : null),
    pending: state.pending,
    next: state.next,
  }
}

const run = async (plan: LoadPlan): Promise<LoadResult> => {
  const filled = { path: filling(plan.path, plan), body: plan.body === undefined ? undefined : filling(plan.body, plan) }
  const startedAt = Date.now()
  const started = performance.now()
  const cpuBefore = cpuSeconds()
  const result = await (plan.rate === undefined ? runUnlimited(plan, filled) : runAtRate({ ...plan, ...filled, rate: plan.rate }))
  const perSecond = result.answered / ((performance.now() - started) / 1000)
  return { ...result, perSecond, startedAt, cpuSeconds: cpuSeconds() - cpuBefore }
}

process.stdout.write(`${JSON.stringify(await run(JSON.parse(process.argv[2] ?? '{}') as LoadPlan))}\n`)
