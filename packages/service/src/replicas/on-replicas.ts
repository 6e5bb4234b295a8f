import type { App } from '@tidings/http'
import type { ReplicaReads } from './replica-reads.ts'

type Plugin = (app: App) => Promise<void>

/** A plugin, each answer of whose routes that say `onReplicas` comes from one snapshot of one server. They must only read: a handler may run again on another server. */
export function onReplicas(plugin: Plugin, { read }: ReplicaReads): Plugin {
  return async (app) => {
    app.addHook('onRoute', (route) => {
      const { handler } = route
      route.handler = function (request, reply) {
        if (request.routeOptions.config.onReplicas !== true) return handler.call(this, request, reply)
        const onUnconfirmed = () => void reply.header('X-Consistency', 'pending')
        return read({ caller: request.tenant.workspaceId, onUnconfirmed }, async () => await handler.call(this, request, reply))
      }
    })
    await plugin(app)
  }
}
