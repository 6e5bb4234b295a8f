import type { Config } from './schema.ts'

/** The address at which the world reaches this service, without a slash at the end: what is configured, else the address it listens on. */
export function publicUrl({ host, port, publicUrl: configured }: Config['http']): string {
  if (configured !== null) return configured.replace(/\/+$/, '')
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The sender of the service's own mail: the operator's address, else one at the host of the public address. */
export function operatorAddress({ email, http }: Pick<Config, 'email' | 'http'>): string {
  const { hostname } = new URL(publicUrl(http))
  return email.from?.toLowerCase() ?? `no-reply@${/^[\d.]+$|^\[/.test(hostname) ? 'localhost' : hostname}`
}
