/**
 * An origin as a browser sends it in `Origin` (RFC 6454 §6.2): lower case, without a default port, a path or a slash at the end.
 * Null for what is none, or says more than an origin does.
 */
export function formOrigin(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null
  return `${url.origin}/` === url.href && !text.endsWith('?') && !text.endsWith('#') ? url.origin : null
}
