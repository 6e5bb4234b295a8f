import { readFileSync } from 'node:fs'
import { type App, staticText } from '@tidings/http'
import { publicRoute } from '../mail-links/public-route.ts'

/** Without what only readers of the source need: comments on lines of their own, and the blanks in front. */
const served = (source: string): string =>
  source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//') && !line.startsWith('/**'))
    .join('\n')

const SCRIPT = Buffer.from(served(readFileSync(new URL('./embed.js', import.meta.url), 'utf8')))

const HEADERS = {
  'content-type': 'text/javascript; charset=utf-8',
  // The script is public: pages with `crossorigin` or under Cross-Origin-Embedder-Policy may load it too.
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
} as const

/** `GET /forms/embed.js` (N10): the same for every workspace, which the script tag names. */
export function embedScript(app: App): void {
  const script = staticText(SCRIPT, HEADERS)
  app.get('/forms/embed.js', publicRoute, async (request, reply) => script(request, reply))
}
