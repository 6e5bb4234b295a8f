import { INSTALLATION } from '@tidings/domain'
import type { App, ReadOnce } from '@tidings/http'
import type { ReadOf } from './read-together.ts'
import type { ReplicaReads } from './replica-reads.ts'

type Plugin = (app: App) => Promise<void>

type Request = Readonly<{ tenant: Readonly<{ workspaceId: string }> | null }>
type Reply = Readonly<{ header: (name: string, value: string) => unknown }>

/** What an operator reads of the installation is of no workspace. */
const readOf = ({ tenant }: Request, reply: Reply): ReadOf => ({
  caller: tenant?.workspaceId ?? INSTALLATION,
  onUnconfirmed: () => void reply.header('X-Consistency', 'pending'),
})

/** A plugin, each answer of whose routes that say `onReplicas` comes from one snapshot of one server. They must only read: a handler may run again on another server. */
export function onReplicas(plugin: Plugin, { read, readTogether }: ReplicaReads): Plugin {
  return async (app) => {
    app.addHook('onRoute', (route) => {
      const { handler, url } = route
      route.handler = function (request, reply) {
        const { onReplicas: way = false } = request.routeOptions.config
        if (way === false) return handler.call(this, request, reply)
        const of = readOf(request, reply)
        const work = async () => await handler.call(this, request, reply)
        return way === 'together' ? readTogether({ ...of, look: url }, work) : read(of, work)
      }
    })
    await plugin(app)
  }
}

/** The same for reads of signed-in people: who has pressed a button looks at what became of it. */
export function readOnReplicas({ read }: ReplicaReads): ReadOnce {
  return (request, reply, handle) => read({ ...readOf(request, reply), confirmed: 'unless the primary is away' }, handle)
}
