import type { Config } from './schema.ts'

/** How the world reaches this service, without a slash at the end: what is configured, else the address it listens on. */
export function publicUrl({ host, port, publicUrl: configured }: Config['http']): string {
  if (configured !== null) return configured.replace(/\/+$/, '')
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
