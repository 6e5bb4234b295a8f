import { performance } from 'node:perf_hooks'
import { createSingleFlight } from '@tidings/async'
import { counter, histogram, metrics, observe } from '@tidings/observability/metrics'
import fp from 'fastify-plugin'

const durations = histogram({
  name: 'http_request_duration_seconds',
  help: 'From the arrival of the headers to the last byte of the answer, by route',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
})
const unknownRouteCount = counter({ name: 'http_unknown_route_total', help: 'Requests that no route took' })

const undeclaredRefusals = counter({
  name: 'http_undeclared_refusals_total',
  help: 'Refusals with a code that their route does not declare, and that /openapi.json does not show for it',
  labelNames: ['route', 'code'],
})

/** `route`: its method and URL. */
export function countUndeclaredRefusal(route: string, code: string): void {
  undeclaredRefusals.inc({ route, code })
}

// prom-client's own defaults keep a garbage collection observer and a 10 ms timer running; these read when they are asked.
observe({ name: 'process_resident_memory_bytes', help: 'Resident memory', read: () => process.memoryUsage.rss() })
observe({ name: 'nodejs_heap_used_bytes', help: 'Used heap', read: () => process.memoryUsage().heapUsed })
observe({ name: 'process_cpu_seconds_total', help: 'User and system time', read: cpuSeconds })
observe({ name: 'process_start_time_seconds', help: 'Start, in seconds since 1970', read: () => performance.timeOrigin / 1_000 })
observe({
  name: 'nodejs_eventloop_utilization',
  help: 'Share of the time since the start that the event loop was busy',
  read: () => performance.eventLoopUtilization().utilization,
})

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** A child per status, made once: prom-client hashes the labels on every look-up otherwise. */
const durationsOf = (method: string, route: string) => {
  const children = new Map<number, ReturnType<typeof durations.labels>>()
  return (status: number) => {
    const known = children.get(status)
    if (known !== undefined) return known
    const child = durations.labels(method, route, String(status))
    children.set(status, child)
    return child
  }
}

/** Counts and times the requests of every route that is registered after this. */
export const requestMetrics = fp(
  async (app) => {
    app.addHook('onRoute', (route) => {
      const durationOf = durationsOf([route.method].flat().join(), route.url)
      route.onResponse = [
        ...[route.onResponse ?? []].flat(),
        (_request, reply, done) => {
          durationOf(reply.statusCode).observe(reply.elapsedTime / 1_000)
          done()
        },
      ]
    })
    app.addHook('onResponse', (request, _reply, done) => {
      if (request.is404) unknownRouteCount.inc()
      done()
    })
  },
  { name: 'request-metrics' },
)

const ROUTE = { config: { access: 'open', raw: true, throttle: false }, schema: { hide: true } } as const

/** Answers `GET /metrics` in the Prometheus text format; `page` is that of all processes, where there are several. */
export const metricsPage = fp<Readonly<{ page?: (() => Promise<string>) | undefined }>>(
  async (app, { page = () => metrics.metrics() }) => {
    // Requests share the page that is being made: it needs no key, and of many processes it is work.
    const share = createSingleFlight<string>()
    app.get('/metrics', ROUTE, async (_request, reply) => reply.type(metrics.contentType).send(await share('page', page)))
  },
  { name: 'metrics-page' },
)
