import type { ConnectorWithSecret, ShownConnectors } from '@tidings/contracts'
import { describe, expect, it } from 'vitest'
import { coded, dataOf, outcome } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import { call, type Session } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; session: (slug: string) => Promise<Readonly<{ client: Client; admin: Session }>> }>

/** Connectors of shops, by an admin of a workspace of its own. */
export function connectorCases(doors: () => Doors): void {
  describe('a connector', () => {
    it('reports with a secret that is shown once, and with the one before no more', async () => {
      const { client, admin } = await doors().session('connectors')
      const { world } = doors()
      const report = async (secret: string) => {
        const headers = { 'X-Sender-Tenant': client.slug, 'X-Connector-Secret': secret }
        const body = { event: 'order.completed', email: 'noa@connectors.example', data: { orderId: secret.slice(0, 8) } }
        return (await call(world.url, 'POST /integrations/store-events', { body, headers })).status
      }
      const list = async () => dataOf<ShownConnectors>(await admin.call('GET /dashboard/connectors'), 200)
      const renew = (etag: string, id: string, headers: Readonly<Record<string, string>> = {}) =>
        admin.call(`POST /dashboard/connectors/${id}/secret`, { headers: { ...headers, 'If-Match': `"${etag}"` } })
      const key = { 'Idempotency-Key': 'the shop, once' }
      const post = (name: string, headers = {}) => admin.call('POST /dashboard/connectors', { body: { name }, headers })

      const first = await post('חנות \u202eevil', key)
      expect(first.headers.get('cache-control')).toBe('no-store')
      const made = dataOf<ConnectorWithSecret>(first, 201)
      expect(made.secret).toMatch(/^[0-9a-f]{64}$/)
      expect(outcome(await post('חנות \u202eevil', key))).toEqual(coded(409, 'idempotency_key_reused'))
      expect(outcome(await post(' חנות \u202eevil'))).toEqual(coded(409, 'connector_name_taken'))
      expect((await post('\u200b')).status).toBe(400)
      expect(await report(made.secret)).toBe(200)

      const { items, address } = await list()
      expect(items).toEqual([{ id: made.id, name: made.name, etag: made.etag }])
      expect(new URL(address).pathname).toBe('/api/v1/integrations/store-events')

      expect(outcome(await admin.call(`POST /dashboard/connectors/${made.id}/secret`))).toEqual(coded(428, 'if_match_required'))
      const renewed = dataOf<ConnectorWithSecret>(await renew(made.etag, made.id), 200)
      expect([await report(made.secret), await report(renewed.secret)]).toEqual([401, 200])
      expect(outcome(await renew(made.etag, made.id))).toEqual(coded(409, 'changed_meanwhile'))
      expect(JSON.stringify(await list())).not.toMatch(new RegExp(`${made.secret}|${renewed.secret}`))
      expect((await list()).items).toEqual([{ id: made.id, name: made.name, etag: renewed.etag }])
      await world.settle()
      expect(JSON.stringify((await admin.call('GET /dashboard/audit')).body)).not.toMatch(new RegExp(`${made.secret}|${renewed.secret}`))
    })

    it('is one of twenty', async () => {
      const { client, admin } = await doors().session('connectors-many')
      const names = Array.from({ length: 20 }, (_, index) => `{ name: shop-${index}, secret: secret-of-shop-${index} }`)
      await doors().world.workspace(client.slug, `connectors: [${names.join(', ')}]`)
      expect(outcome(await admin.call('POST /dashboard/connectors', { body: { name: 'one more' } }))).toEqual(
        coded(409, 'connector_limit_reached'),
      )
      expect(outcome(await admin.call('POST /dashboard/connectors', { body: { name: 'shop-3' } }))).toEqual(
        coded(409, 'connector_name_taken'),
      )
    })
  })
}
