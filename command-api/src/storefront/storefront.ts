import type { App } from '@tidings/http'
import { scriptOf } from '../scripts/script-source.ts'
import { serveScript } from '../scripts/serve-script.ts'

type Settings = Readonly<{
  /** The public key of web push, base64url; null where it is not configured: then the page answers `unsupported`. */
  publicKey: string | null
}>

const SHARED = new URL('./shop.js', import.meta.url)

const scriptWith = (publicKey: string | null, own: URL): string =>
  `;(() => {\n${scriptOf([SHARED, own]).replace("'PUBLIC_KEY'", () => JSON.stringify(publicKey))}\n})()`

/** The files that pages and service workers of a shop load (N10). Register it at the root. */
export function storefront({ publicKey }: Settings) {
  return async (app: App): Promise<void> => {
    serveScript(app, { path: '/storefront/sdk.js', source: scriptWith(publicKey, new URL('./sdk.js', import.meta.url)) })
    // If a proxy puts the service below the shop's own origin, the file may be a worker for the whole shop.
    serveScript(app, {
      path: '/storefront/push-sw.js',
      source: scriptWith(publicKey, new URL('./push-sw.js', import.meta.url)),
      headers: { 'service-worker-allowed': '/' },
    })
  }
}
