import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import fp from 'fastify-plugin'
import { limitPage } from '../rate-limit/limit-page.ts'
import { staticText } from '../static-text.ts'

const ROUTE = { config: { access: 'open', raw: true, throttle: false }, schema: { hide: true } } as const

/** Nothing inline, nothing from elsewhere: requests to try go to this service alone. Swagger UI has its icons as `data:` URLs. */
const CONTENT_POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ')

/** Links are relative to `/docs`: behind a path prefix the browser has another path before it (M70). */
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tidings API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<div id="docs"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</html>
`

/** `validatorUrl`: by default every document is sent to a service of the makers of Swagger UI. */
const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
})
`

const JAVASCRIPT = 'text/javascript; charset=utf-8'
const CSS = 'text/css; charset=utf-8'

const { resolve } = createRequire(import.meta.url)

/** Serves a file of the package `swagger-ui-dist`. The first request reads it. */
const fileOfSwaggerUi = (name: string, type: string) => {
  let answer: Promise<ReturnType<typeof staticText>> | undefined
  const load = async () => staticText(await readFile(resolve(`swagger-ui-dist/${name}`)), { 'content-type': type })
  return () => {
    answer ??= load()
    return answer
  }
}

/** The links of the page would lead from `/docs/` to `/docs/docs`. */
const isFolder = (url: string): boolean => /^[^?]*\/(?:\?|$)/.test(url)

/** `GET /docs`: Swagger UI on `/openapi.json`, with everything that it needs served from here. */
export const viewer = fp(
  async (app) => {
    const page = staticText(Buffer.from(PAGE), { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': CONTENT_POLICY })
    const start = staticText(Buffer.from(START), { 'content-type': JAVASCRIPT })
    const style = fileOfSwaggerUi('swagger-ui.css', CSS)
    const bundle = fileOfSwaggerUi('swagger-ui-bundle.js', JAVASCRIPT)
    app.get('/docs', { ...ROUTE, onRequest: limitPage() }, async (request, reply) =>
      isFolder(request.url) ? reply.redirect('../docs', 308) : page(request, reply),
    )
    app.get('/docs/start.js', { ...ROUTE, onRequest: limitPage() }, async (request, reply) => start(request, reply))
    app.get('/docs/swagger-ui.css', { ...ROUTE, onRequest: limitPage() }, async (request, reply) => (await style())(request, reply))
    app.get('/docs/swagger-ui-bundle.js', { ...ROUTE, onRequest: limitPage() }, async (request, reply) => (await bundle())(request, reply))
  },
  { name: 'api-viewer' },
)
