import { type Fill, runAtRate } from './fixed-rate.ts'
import type { LoadPlan, LoadResult } from './load-plan.ts'
import { runUnpaced } from './unpaced.ts'

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

const run = async (plan: LoadPlan): Promise<LoadResult> => {
  const filled = { path: filling(plan.path, plan), body: plan.body === undefined ? undefined : filling(plan.body, plan) }
  const startedAt = Date.now()
  const started = performance.now()
  const cpuBefore = cpuSeconds()
  const result = await (plan.rate === undefined ? runUnpaced({ ...plan, ...filled }) : runAtRate({ ...plan, ...filled, rate: plan.rate }))
  const perSecond = result.answered / ((performance.now() - started) / 1000)
  return { ...result, perSecond, startedAt, cpuSeconds: cpuSeconds() - cpuBefore }
}

process.stdout.write(`${JSON.stringify(await run(JSON.parse(process.argv[2] ?? '{}') as LoadPlan))}\n`)
