import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { App } from '@tidings/http'
import { publicRoute } from '../mail-links/public-route.ts'

/** Without what only readers of the source need: comments on lines of their own, and the blanks in front. */
const served = (source: string): string =>
  source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//') && !line.startsWith('/**'))
    .join('\n')

const SCRIPT = Buffer.from(served(readFileSync(new URL('./embed.js', import.meta.url), 'utf8')))
const ETAG = `"${createHash('sha256').update(SCRIPT).digest('base64url')}"`

const HEADERS = {
  'cache-control': 'public, max-age=3600',
  etag: ETAG,
  'content-type': 'text/javascript; charset=utf-8',
  'x-content-type-options': 'nosniff',
  // The script is public: pages with `crossorigin` or under Cross-Origin-Embedder-Policy may load it too.
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
} as const

/** RFC 9110 §13.1.2: `*`, or a list compared weakly. */
const isKnown = (ifNoneMatch: string | undefined): boolean =>
  (ifNoneMatch ?? '').split(',').some((tag) => ['*', ETAG].includes(tag.trim().replace(/^W\//, '')))

/** `GET /forms/embed.js` (N10): the same for every workspace, which the script tag names. */
export function embedScript(app: App): void {
  app.get('/forms/embed.js', publicRoute, async ({ headers }, reply) => {
    reply.headers(HEADERS)
    return isKnown(headers['if-none-match']) ? reply.code(304).removeHeader('content-type').send() : reply.send(SCRIPT)
  })
}
