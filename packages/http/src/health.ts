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

/** `/health/live`: the process answers. `/health/ready`: 200, or 503 that names what is not ready and why; 503 while closing. */
export const health = fp<Readonly<{ checks: Readonly<Record<string, ReadinessCheck>> }>>(
  async (app, { checks }) => {
    let closing = false
    // Requests share a check that runs: health is not throttled, and a check may cost a connection of the database.
    const share = createSingleFlight<string | null>()
    const asks = Object.entries(checks).map(([name, check]) => ({ name, reasonOf: () => share(name, () => ask(check)) }))
    app.addHook('preClose', async () => {
      closing = true
    })
    app.get('/health/live', ROUTE, async () => ({ status: 'live' }))
    app.get('/health/ready', ROUTE, async (_request, reply) => {
      const answers = await Promise.all(asks.map(async ({ name, reasonOf }) => ({ name, reason: await reasonOf() })))
      const notReady = answers.filter(({ reason }) => reason !== null)
      if (closing) notReady.push({ name: 'service', reason: 'shutting down' })
      if (notReady.length === 0) return { status: 'ready' }
      return reply.code(503).send({ status: 'not ready', notReady })
    })
  },
  { name: 'health' },
)
