/** A mail is a stranger's page: it runs no script, has no origin, and loads nothing; images of the web only where they are asked for. */
export function framePolicy(images: 'none' | 'https' = 'none'): string {
  const sources = images === 'https' ? 'data: https:' : 'data:'
  return `sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src ${sources}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`
}
