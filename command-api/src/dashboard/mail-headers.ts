/**
 * The headers of content that a stranger may have written, for a frame of one of our pages: no script, no form, an origin of its own, and nothing
 * is loaded, except pictures where the reader asked for them.
 */
export function mailHeaders(withImages: boolean): Readonly<Record<string, string>> {
  const policy = [
    'sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src data:${withImages ? ' https:' : ''}`,
    "frame-ancestors 'self'",
  ]
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  }
}
