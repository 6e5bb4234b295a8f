import type { Config } from './schema.ts'

/** A listener on every address of the machine is none that a browser opens. */
const EVERY_ADDRESS: readonly string[] = ['0.0.0.0', '::']

/** The address at which the world reaches this service, without a slash at the end: what is configured, else the address it listens on. */
export function publicUrl({ host, port, publicUrl: configured }: Config['http']): string {
  if (configured !== null) return configured.replace(/\/+$/, '')
  if (EVERY_ADDRESS.includes(host)) return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The sender of the service's own mail: the operator's address, else one at the host of the public address. */
export function operatorAddress({ email, http }: Pick<Config, 'email' | 'http'>): string {
  const { hostname } = new URL(publicUrl(http))
  return email.from?.toLowerCase() ?? `no-reply@${/^[\d.]+$|^\[/.test(hostname) ? 'localhost' : hostname}`
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

/** Whether only this machine reaches the service, and it is not in production: what a developer sees on the first day needs no account then. */
export function isLocalDevelopment({ environment, http }: Pick<Config, 'environment' | 'http'>): boolean {
  const hosts = [http.host, ...(http.publicUrl === null ? [] : [new URL(http.publicUrl).hostname])]
  return environment !== 'production' && hosts.every(isLoopback)
}
