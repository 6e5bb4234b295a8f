import type { App } from '@tidings/http'

const ROUTE = { schema: { hide: true }, config: { access: 'open', raw: true } } as const

/** The public key that signs the heads of the log (D3): an auditor compares its fingerprint with that of an export. Register it at the root. */
export function logKey(deps: Readonly<{ logKey: () => Promise<Readonly<{ fingerprint: string; publicKey: string }>> }>) {
  return async (app: App): Promise<void> => {
    app.get('/.well-known/tidings-log-key', ROUTE, async (_, reply) => {
      const { fingerprint, publicKey } = await deps.logKey()
      reply.headers({ 'cache-control': 'public, max-age=300', 'x-content-type-options': 'nosniff' })
      return { algorithm: 'Ed25519', fingerprint, publicKey }
    })
  }
}
