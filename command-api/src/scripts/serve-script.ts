import { type App, staticText } from '@tidings/http'
import { publicRoute } from '../mail-links/public-route.ts'

type Script = Readonly<{ path: string; source: string; headers?: Readonly<Record<string, string>> }>

/** A script that pages load (N10): public, the same for every caller, kept for an hour, not throttled. `headers` are added. */
export function serveScript(app: App, { path, source, headers = {} }: Script): void {
  const script = staticText(Buffer.from(source), {
    'content-type': 'text/javascript; charset=utf-8',
    // Pages with `crossorigin` or under Cross-Origin-Embedder-Policy may load it too.
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    ...headers,
  })
  app.get(path, publicRoute, async (request, reply) => script(request, reply))
}
