import type { App } from '@tidings/http'
import type { ReplicaReads } from './replica-reads.ts'

type Plugin = (app: App) => Promise<void>

/** A plugin, each answer of whose routes that say `onReplicas` comes from one snapshot of one server. They must only read: a handler may run again on another server. */
export function onReplicas(plugin: Plugin, { read, readTogether }: ReplicaReads): Plugin {
  return async (app) => {
    app.addHook('onRoute', (route) => {
      const { handler, url } = route
      route.handler = function (request, reply) {
        const { onReplicas: way } = request.routeOptions.config
        if (way === undefined) return handler.call(this, request, reply)
        const onUnconfirmed = () => void reply.header('X-Consistency', 'pending')
        const of = { caller: request.tenant.workspaceId, onUnconfirmed }
        const work = async () => await handler.call(this, request, reply)
        return way === 'together' ? readTogether({ ...of, look: url }, work) : read(of, work)
      }
    })
    await plugin(app)
  }
}
