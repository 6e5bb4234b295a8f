import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { readIndex } from './built-pages.ts'

/** No script but ours, no style but ours and those with the nonce, and in no frame of another page (design of the dashboard, 3.6). */
const policyWith = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const

const NOT_MADE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Tidings</title>
<h1>The dashboard was not built</h1>
<p>The service runs, and the API answers. The start said why there are no pages. To make them: <code>node dashboard/build.mjs</code>, then load this page again.</p>
</html>
`

/** `publicUrl`: where the world reaches the service, with the path that a proxy takes off. `url`: what a browser asked for, without it. */
type AskedPage = Readonly<{ publicUrl: string; url: string }>

/**
 * The address of the root of the service, to be followed by a path. Under a path it is relative to what was asked for, so that it holds for those who ask
 * without the proxy as well.
 */
export function rootFor({ publicUrl, url }: AskedPage): string {
  if (new URL(publicUrl).pathname === '/') return '/'
  const [path = ''] = url.split('?', 1)
  return '../'.repeat(path.split('/').length - 2) || './'
}

/** Answers with the page of the dashboard, or with one that says how it is made. */
export async function sendPage(reply: FastifyReply, publicUrl: string): Promise<FastifyReply> {
  const index = await readIndex()
  const nonce = randomBytes(16).toString('base64url')
  reply.headers({ ...HEADERS, 'content-security-policy': policyWith(nonce) })
  if (index === null) return reply.code(503).send(NOT_MADE)
  const root = rootFor({ publicUrl, url: reply.request.url })
  return reply.send(index.replaceAll('"./assets/', `"${root}dashboard/assets/`).replaceAll('__NONCE__', nonce))
}
