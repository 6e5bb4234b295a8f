import swagger from '@fastify/swagger'
import { API_VERSION, apiTags, dashboardTags } from '@tidings/contracts'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { App } from '../bare-app.ts'
import { limitPage } from '../rate-limit/limit-page.ts'
import type { RouteConfig } from '../route-config.ts'
import { staticText } from '../static-text.ts'
import { type Document, finishDashboardDocument, finishDocument } from './finish-document.ts'
import { viewer } from './viewer.ts'

const ROUTE = { config: { access: 'open', raw: true, throttle: false }, schema: { hide: true } } as const

const OPENAPI = {
  openapi: '3.1.0',
  info: {
    title: 'Tidings',
    description: 'Customer messaging: profiles, consent, transactional messages.',
    version: API_VERSION,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  components: {
    securitySchemes: {
      tenant: { type: 'apiKey', in: 'header', name: 'X-Sender-Tenant', description: 'The slug of the workspace, or its UUID.' },
      key: {
        type: 'apiKey',
        in: 'header',
        name: 'X-API-Key',
        description: 'A key of the workspace: `sk_evt_` and 64 hexadecimal characters.',
      },
      publishableKey: {
        type: 'apiKey',
        in: 'header',
        name: 'X-API-Key',
        description: 'A key that may stand in the source of a page: `pk_evt_` and 64 hexadecimal characters. Only two routes take it.',
      },
      connector: { type: 'apiKey', in: 'header', name: 'X-Connector-Secret', description: 'The secret of a connector of the workspace.' },
      session: { type: 'apiKey', in: 'cookie', name: 'sender_session', description: 'The cookie that signing in sets.' },
      bearer: { type: 'http', scheme: 'bearer', description: 'The value of that cookie.' },
    },
  },
} as const

/** The document of the dashboard's routes, which a session opens. */
const DASHBOARD = {
  ...OPENAPI,
  info: {
    ...OPENAPI.info,
    title: 'Tidings dashboard',
    description: 'What the pages of the dashboard ask for, with the session of a sign-in.',
  },
  components: {
    securitySchemes: { session: OPENAPI.components.securitySchemes.session, bearer: OPENAPI.components.securitySchemes.bearer },
  },
} as const

/** Their routes do not open to a session. */
const CLOSED_TAGS: ReadonlySet<string> = new Set(['otp', 'auth', 'integrations', 'push', 'forms'])

const HIDDEN = { hide: true } as const

declare module 'fastify' {
  interface FastifyInstance {
    /** The document of the routes behind the door of the dashboard. */
    dashboardSwagger: () => object
  }
}

const pathOf = (url: string): string => url.replaceAll(/:(\w+)/g, '{$1}')

const securityOf = ({ access, publishable }: RouteConfig) => {
  if (access === 'session') return [{ session: [] }, { bearer: [] }]
  return [{ tenant: [], key: [] }, ...(publishable ? [{ tenant: [], publishableKey: [] }] : [])]
}

/** `publicUrl`: the address that is configured, with the path prefix of a proxy; without it, the origin that the document was read from (M70). */
type Documentation = Readonly<{ written?: () => Promise<string>; publicUrl?: string }>

const serverOf = (publicUrl: string | undefined) =>
  publicUrl === undefined
    ? { url: '/', description: 'The service that shows this document.' }
    : { url: publicUrl, description: 'The public address of this service.' }

/**
 * OpenAPI 3.1 of every route that is registered after this: `GET /openapi.json`, and `GET /docs` to read and try it. `written` gives another
 * text, where other processes serve a part of the API.
 */
export const documentation = fp<Documentation>(
  async (app, { written, publicUrl }) => {
    const configs = new Map<string, RouteConfig>()
    const configOf = (method: string, path: string): RouteConfig => configs.get(`${method} ${path}`) ?? {}
    const servers = [serverOf(publicUrl)]
    await app.register(swagger, {
      openapi: { ...OPENAPI, servers, tags: [...apiTags] },
      transform: ({ schema, url, route }) => {
        if (route.config?.door) return { schema: HIDDEN, url }
        for (const method of [route.method].flat()) configs.set(`${method} ${pathOf(url)}`, route.config ?? {})
        if (route.config?.access === 'open') return { schema, url }
        return { schema: { security: securityOf(route.config ?? {}), ...schema }, url }
      },
      transformObject: (built) =>
        'openapiObject' in built ? (finishDocument(built.openapiObject as Document, configOf) as object) : built.swaggerObject,
    })
    await app.register(swagger, {
      decorator: 'dashboardSwagger',
      openapi: { ...DASHBOARD, servers, tags: [...apiTags.filter(({ name }) => !CLOSED_TAGS.has(name)), ...dashboardTags] },
      transform: ({ schema, url, route }) => {
        const { door, dashboard } = route.config ?? {}
        if (!door || dashboard === undefined) return { schema: HIDDEN, url }
        for (const method of [route.method].flat()) configs.set(`${method} ${pathOf(url)}`, route.config ?? {})
        return { schema: { security: securityOf({ access: 'session' }), ...schema, 'x-tidings-role': dashboard.role }, url }
      },
      transformObject: (built) =>
        'openapiObject' in built ? (finishDashboardDocument(built.openapiObject as Document, configOf) as object) : built.swaggerObject,
    })
    // Written once; a failure is tried again by the next request.
    let answer: Promise<ReturnType<typeof staticText>> | undefined
    const write = async () => {
      const text = await (written?.() ?? openApiText(app))
      return staticText(Buffer.from(text), { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' })
    }
    app.get('/openapi.json', { ...ROUTE, onRequest: limitPage() }, async (request, reply) => {
      answer ??= write().catch((error: unknown) => {
        answer = undefined
        throw error
      })
      return (await answer)(request, reply)
    })
    await app.register(viewer)
  },
  { name: 'documentation' },
)

/** The document as it is committed and compared: stable, two blanks a level, a newline at its end. The app must be ready. */
export function openApiText(app: FastifyInstance): string {
  return `${JSON.stringify(app.swagger(), null, 2)}\n`
}

/**
 * `openapi.json` of the routes behind the door of the dashboard (M72), as a plugin of that door: without the envelope, for the same session. Its own route is
 * not in it.
 */
export async function dashboardDocument(app: App): Promise<void> {
  let text: string | undefined
  const config = { access: 'session', dashboard: { role: 'member' }, withoutWorkspace: true, raw: true } as const
  app.get('/openapi.json', { schema: { hide: true }, config }, async (_request, reply) => {
    text ??= `${JSON.stringify(app.dashboardSwagger(), null, 2)}\n`
    return reply.type('application/json; charset=utf-8').send(text)
  })
}
