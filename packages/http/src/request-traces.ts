import { callerBudget, parseTraceParent, type Span, type Traces } from '@tidings/observability/traces'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null where the request is not recorded. */
    span: Span | null
  }
}

/** What is asked for every few seconds, by machines and for ever (M69). */
const UNTRACED: ReadonlySet<string> = new Set(['/health/live', '/health/ready', '/metrics'])

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The template of the route: an id, an address or a query never stands in it. */
const beginOf = (traces: Traces, request: FastifyRequest, route: string): Span | null => {
  const method = METHODS.has(request.method) ? request.method : '_OTHER'
  return traces.begin({
    name: `${method} ${route}`,
    kind: 'server',
    parent: parseTraceParent(request.headers.traceparent),
    attributes: { 'http.request.method': method, 'http.route': route, 'tidings.request_id': request.id },
  })
}

const endOf = (request: FastifyRequest, span: Span, status: number | null): void => {
  span.set({ 'http.response.status_code': status ?? undefined, 'tidings.workspace': request.tenant?.workspaceId })
  span.end(status === null ? 'closed' : status >= 500 ? String(status) : undefined)
}

/**
 * Records each request that a route takes, and goes on with the trace of its caller. What a caller without a key can make us record is bounded, whatever his
 * `traceparent` says. Registered only where traces are on.
 */
export const requestTraces = fp<Readonly<{ traces: Traces; budget?: ReturnType<typeof callerBudget> }>>(
  async (app, { traces, budget = callerBudget() }) => {
    app.decorateRequest('span', null)
    app.addHook('onRequest', (request, reply, done) => {
      const route = request.routeOptions.url
      if (request.is404 || route === undefined || UNTRACED.has(route) || !budget.take()) return done()
      const span = beginOf(traces, request, route)
      if (span === null) {
        budget.giveBack()
        return done()
      }
      request.span = span
      // The end of the connection, too: a caller that goes away leaves no request open.
      reply.raw.once('close', () => endOf(request, span, reply.raw.headersSent ? reply.raw.statusCode : null))
      traces.within(span, done)
    })
    app.addHook('preValidation', (request, _reply, done) => {
      const { span } = request
      if (span === null) return done()
      // The events of the body come from the connection, which knows no trace.
      traces.within(span, done)
    })
    // The key is checked before validation, and a route without one may have a workspace of its own.
    app.addHook('preHandler', (request, _reply, done) => {
      if (request.span !== null && request.tenant !== null) budget.giveBack()
      done()
    })
  },
  { name: 'request-traces', dependencies: ['request-id'] },
)
