import { Type } from '@sinclair/typebox'
import { Refused } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { publicRoute } from '../mail-links/public-route.ts'
import { readAsset } from './built-pages.ts'
import { rootFor, sendPage } from './page-answers.ts'

const page = { schema: { hide: true }, config: { access: 'open', raw: true } } as const

type Users = Pick<Dependencies, 'users'>

/** What shows no data of a workspace, and what signs in. */
const OPEN = /^\/dashboard\/(login|link|verify)(\?|$)/

/** The pages of the dashboard, for browsers; register it at the root. `publicUrl`: where the world reaches the service, with the path that a proxy takes off. */
export function dashboardPages(deps: Users, publicUrl: string) {
  return async (app: App): Promise<void> => {
    serveAssets(app)
    for (const path of ['/dashboard', '/dashboard/*'])
      app.get(path, page, async (request, reply) => {
        if (OPEN.test(request.url) || (await isSignedIn(deps, request))) return sendPage(reply, publicUrl)
        const login = `${rootFor({ publicUrl, url: request.url })}dashboard/login`
        return reply.header('cache-control', 'no-store').redirect(`${login}?back=${encodeURIComponent(request.url)}`, 302)
      })
  }
}

/** A fault other than a missing session is for the page to show: what it asks for next meets the same. */
async function isSignedIn({ users }: Users, request: FastifyRequest): Promise<boolean> {
  try {
    await users.authenticate(request)
    return true
  } catch (error) {
    return !(error instanceof Refused && error.code === 'authentication_required')
  }
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

const params = Type.Object({ name: Type.String({ maxLength: 200 }) })

/** A name holds the hash of what it names: a browser keeps it for ever. */
function serveAssets(app: App): void {
  const { schema, config } = publicRoute
  app.get('/dashboard/assets/:name', { schema: { ...schema, params }, config }, async (request, reply) => {
    const { name } = request.params
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]
    if (type === undefined) return reply.callNotFound()
    const body = await assetFor(request, reply, name)
    if (body === null) return reply.callNotFound()
    reply.headers({
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
    return reply.send(body)
  })
}

const ACCEPTS_GZIP = /(^|[\s,])gzip\s*(?!;\s*q=0(\.0*)?\s*(,|$))/

async function assetFor(request: FastifyRequest, reply: FastifyReply, name: string): Promise<Buffer | null> {
  reply.header('vary', 'accept-encoding')
  const accepted = request.headers['accept-encoding'] ?? ''
  const compressed = ACCEPTS_GZIP.test(String(accepted)) ? await readAsset(name, true) : null
  if (compressed === null) return readAsset(name, false)
  reply.header('content-encoding', 'gzip')
  return compressed
}
