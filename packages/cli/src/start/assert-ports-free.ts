import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '@tidings/config'

/** Rejects as the listening itself would, before a database is made or opened for nothing. A port that is taken later is found then. */
export async function assertPortsFree({ host, port, adminPort }: Pick<Config['http'], 'host' | 'port' | 'adminPort'>): Promise<void> {
  for (const one of [port, adminPort]) {
    if (one === null || one === 0) continue
    const server = createServer().listen({ host, port: one })
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
  }
}
