import { performance } from 'node:perf_hooks'
import { createSingleFlight } from '@tidings/async'
import fp from 'fastify-plugin'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** The registry that `/metrics` shows. */
export const metrics = new Registry()

const durations = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'From the arrival of the headers to the last byte of the answer, by route',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  registers: [metrics],
})
const unknownRouteCount = new Counter({ name: 'http_unknown_route_total', help: 'Requests that no route took', registers: [metrics] })

const undeclaredRefusals = new Counter({
  name: 'http_undeclared_refusals_total',
  help: 'Refusals with a code that their route does not declare, and that /openapi.json does not show for it',
  labelNames: ['route', 'code'],
  registers: [metrics],
})

/** `route`: its method and URL. */
export function countUndeclaredRefusal(route: string, code: string): void {
  undeclaredRefusals.inc({ route, code })
}

const gauge = (name: string, help: string, read: () => number): Gauge =>
  new Gauge({
    name,
    help,
    registers: [metrics],
    collect() {
      this.set(read())
    },
  })

// prom-client's own defaults keep a garbage collection observer and a 10 ms timer running; these read when they are asked.
gauge('process_resident_memory_bytes', 'Resident memory', () => process.memoryUsage.rss())
gauge('nodejs_heap_used_bytes', 'Used heap', () => process.memoryUsage().heapUsed)
gauge('process_cpu_seconds_total', 'User and system time', () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6)
gauge('process_start_time_seconds', 'Start, in seconds since 1970', () => performance.timeOrigin / 1_000)
gauge(
  'nodejs_eventloop_utilization',
  'Share of the time since the start that the event loop was busy',
  () => performance.eventLoopUtilization().utilization,
)

/** A child per status, made once: prom-client hashes the labels on every look-up otherwise. */
const durationsOf = (method: string, route: string) => {
  const children = new Map<number, Histogram.Internal<'method' | 'route' | 'status'>>()
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
