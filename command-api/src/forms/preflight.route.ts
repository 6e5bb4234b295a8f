import type { App } from '@tidings/http'

const ALLOWED_HEADERS = 'Content-Type, X-Sender-Tenant, X-API-Key, X-Request-Id, Idempotency-Key'
/** Seconds that a browser may use the answer for; more than two hours are not used by any. */
const MAX_AGE = '7200'

const route = { schema: { hide: true }, config: { access: 'open', raw: true, throttle: false } } as const

/** The requests that a page may make with a publishable key. */
const OF_PAGES = ['/forms/subscribe', '/push/subscriptions'] as const

/** `OPTIONS` of what pages ask for: a preflight names no workspace, so every origin may ask; the POST decides (G28, M63). It looks nothing up. */
export function preflight(app: App): void {
  for (const path of OF_PAGES)
    app.options(path, route, async ({ headers }, reply) => {
      reply.headers({ vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers' })
      if (headers.origin !== undefined)
        reply.headers({
          'access-control-allow-origin': headers.origin,
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers': ALLOWED_HEADERS,
          'access-control-max-age': MAX_AGE,
        })
      return reply.code(204).send()
    })
}
