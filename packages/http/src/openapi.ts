import swagger from '@fastify/swagger'
import { API_VERSION } from '@tidings/contracts'
import type { FastifyInstance, FastifySchema } from 'fastify'
import fp from 'fastify-plugin'
import { docsPage } from './docs-page.ts'

const ROUTE = { config: { access: 'open', raw: true, throttle: false }, schema: { hide: true } } as const

const errorResponse = (description: string) => ({
  description,
  type: 'object',
  properties: { success: { type: 'boolean', const: false }, message: { type: 'string' }, code: { type: 'string' } },
  required: ['success', 'message'],
})

/** Documented for every route that needs a key or a session; for readers only, never compiled into a serialiser. */
const common = {
  400: errorResponse('Invalid request, or a business precondition that does not hold'),
  401: errorResponse('Not authenticated'),
  403: errorResponse('Authenticated, but refused'),
  404: errorResponse('Something that the request names does not exist in this workspace'),
  429: errorResponse('Throttled; wait for Retry-After seconds'),
  503: errorResponse('Temporarily unavailable; ask again'),
}

/** Documented for the routes that change something. */
const changing = {
  409: errorResponse('Somebody else has it already, or the Idempotency-Key is in use'),
  413: { description: 'The body is too large', content: { 'text/plain': { schema: { type: 'string' } } } },
}

type Documented = Readonly<{ schema?: FastifySchema | undefined; method: string | readonly string[] }>

const withErrors = ({ schema, method }: Documented): FastifySchema => {
  const errors = [method].flat().includes('GET') ? common : { ...common, ...changing }
  return { ...schema, response: { ...errors, ...(typeof schema?.response === 'object' ? schema.response : {}) } }
}

const OPENAPI = {
  openapi: '3.1.0',
  info: { title: 'Tidings', description: 'Customer messaging: profiles, consent, transactional messages.', version: API_VERSION },
  components: {
    securitySchemes: {
      tenant: { type: 'apiKey', in: 'header', name: 'X-Sender-Tenant' },
      key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      session: { type: 'apiKey', in: 'cookie', name: 'sender_session' },
      bearer: { type: 'http', scheme: 'bearer' },
    },
  },
} as const

const CONTENT_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'"

/**
 * OpenAPI 3.1 of every route that is registered after this: `GET /openapi.json`, and `GET /docs` to read it. `written` gives another text,
 * where other processes serve a part of the API.
 */
export const documentation = fp<Readonly<{ written?: () => Promise<string> }>>(
  async (app, { written }) => {
    await app.register(swagger, {
      openapi: OPENAPI,
      transform: ({ schema, url, route }) => {
        if (route.config?.access === 'open') return { schema, url }
        const security = route.config?.access === 'session' ? [{ session: [] }, { bearer: [] }] : [{ tenant: [], key: [] }]
        return { schema: { security, ...withErrors({ schema, method: route.method }) }, url }
      },
    })
    let text: Promise<string> | undefined
    app.get('/openapi.json', ROUTE, async (_request, reply) => {
      text ??= written?.() ?? Promise.resolve(openApiText(app))
      return reply.type('application/json; charset=utf-8').send(await text)
    })
    app.get('/docs', ROUTE, async (_request, reply) =>
      reply.header('content-security-policy', CONTENT_POLICY).type('text/html; charset=utf-8').send(docsPage),
    )
  },
  { name: 'documentation' },
)

/** The document as it is committed and compared: stable, two blanks a level, a newline at its end. The app must be ready. */
export function openApiText(app: FastifyInstance): string {
  return `${JSON.stringify(app.swagger(), null, 2)}\n`
}
