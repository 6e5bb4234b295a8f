import autocannon from 'autocannon'

/**
 * The load generator: a process of its own, so that neither side's event loop is measured with it.
 * Reads one JSON argument, answers one JSON line; the parent is `lib/measure.ts`.
 */
export type LoadPlan = Readonly<{
  url: string
  method: 'GET' | 'POST'
  path: string
  headers: Readonly<Record<string, string>>
  connections: number
  seconds: number
  /** How a request's `{n}` is chosen: a number that never comes twice in a run, or one of `of` in turn. */
  numbers: Readonly<{ from: number; of?: number }>
  body?: string
}>

export type LoadResult = Readonly<{ perSecond: number; p50: number; p99: number; answered: number; refused: number; next: number }>

const run = async (plan: LoadPlan): Promise<LoadResult> => {
  let n = plan.numbers.from
  const number = (): string => String(plan.numbers.of === undefined ? n++ : n++ % plan.numbers.of)
  const started = performance.now()
  const result = await autocannon({
    url: plan.url,
    connections: plan.connections,
    duration: plan.seconds,
    requests: [
      {
        method: plan.method,
        headers: { ...plan.headers },
        setupRequest: (request) => {
          const value = number()
          return {
            ...request,
            path: plan.path.replaceAll('{n}', value),
            ...(plan.body ? { body: plan.body.replaceAll('{n}', value) } : {}),
          }
        },
      },
    ],
  })
  const answered = result['2xx']
  return {
    perSecond: answered / ((performance.now() - started) / 1000),
    p50: result.latency.p50,
    p99: result.latency.p99,
    answered,
    refused: result.non2xx + result.errors,
    next: n,
  }
}

process.stdout.write(`${JSON.stringify(await run(JSON.parse(process.argv[2] ?? '{}') as LoadPlan))}\n`)
