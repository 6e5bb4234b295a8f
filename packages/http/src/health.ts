import { createSingleFlight } from '@tidings/async'
import fp from 'fastify-plugin'
import pTimeout from 'p-timeout'

/** Resolves when the part is ready; a rejection's message says why it is not. */
export type ReadinessCheck = () => Promise<void>

const TIMEOUT_MS = 2_000
const ROUTE = { config: { access: 'open', raw: true, throttle: false }, schema: { hide: true } } as const

const ask = async (check: ReadinessCheck): Promise<string | null> => {
  try {
    await pTimeout(check(), { milliseconds: TIMEOUT_MS, message: 'no answer within 2 s' })
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

type NotReady = Readonly<{ name: string; reason: string }>

const shuttingDown: ReadinessCheck = async () => {
  throw new Error('shutting down')
}

/** What is not ready, and why; each check has 2 s. */
export async function notReady(checks: Readonly<Record<string, ReadinessCheck>>): Promise<readonly NotReady[]> {
  const answers = await Promise.all(Object.entries(checks).map(async ([name, check]) => ({ name, reason: await ask(check) })))
  return answers.flatMap(({ name, reason }) => (reason === null ? [] : [{ name, reason }]))
}

/** The same in words. */
export async function reasonsNotReady(checks: Readonly<Record<string, ReadinessCheck>>): Promise<readonly string[]> {
  return (await notReady(checks)).map(({ name, reason }) => `${name}: ${reason}`)
}

type HealthOptions = Readonly<{
  checks: Readonly<Record<string, ReadinessCheck>>
  /** What this process can do without: it stays ready, and says what it lacks. */
  lacking?: Readonly<Record<string, ReadinessCheck>> | undefined
  /** Rejects unless other processes serve the same address while this one stops; by default there is none. */
  othersServe?: ReadinessCheck | undefined
}>

/** `/health/live`: the process answers. `/health/ready`: 200, or 503 that names what is not ready and why; 503 while it stops, unless others serve its address. */
export const health = fp<HealthOptions>(
  async (app, { checks, lacking = {}, othersServe = shuttingDown }) => {
    // Requests share the checks that run: health is not throttled, and a check may cost a connection of the database.
    const share = createSingleFlight<readonly NotReady[]>()
    app.get('/health/live', ROUTE, async () => ({ status: 'live' }))
    app.get('/health/ready', ROUTE, async (_request, reply) => {
      const isStopping = () => app.stopping.begun
      // What a stopping process lacks beside does not matter, and a gateway sends it requests until this is answered.
      const asLeaving = () => share('leaving', () => notReady({ service: othersServe }))
      const missing = [...(isStopping() ? [] : await share('checks', () => notReady(checks))), ...(isStopping() ? await asLeaving() : [])]
      if (missing.length === 0) {
        const degraded = await share('lacking', () => notReady(lacking))
        return degraded.length === 0 ? { status: 'ready' } : { status: 'degraded', degraded }
      }
      return reply.code(503).send({ status: 'not ready', notReady: missing })
    })
  },
  { name: 'health', dependencies: ['stopping'] },
)
