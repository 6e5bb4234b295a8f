import type { TObject } from '@sinclair/typebox'
import { INSTALLATION } from '@tidings/domain'
import type { FastifyReply, FastifyRequest, HTTPMethods, RouteHandlerMethod, RouteShorthandOptions } from 'fastify'
import type { App } from '../bare-app.ts'
import { toProblem } from '../errors/to-problem.ts'
import type { ActNote, DashboardDoor, RouteConfig } from '../route-config.ts'
import { answeringUnchanged, type ReadMarks } from './unchanged.ts'

const METHODS: ReadonlySet<string | symbol> = new Set(['get', 'post', 'put', 'patch', 'delete'])

/** By these a plugin adds routes of its own kind, such as those of providers: none is for a session. */
const CLOSED: ReadonlySet<string | symbol> = new Set(['all', 'head', 'options', 'register', 'route'])

const isMethod = (name: string | symbol): name is Lowercase<HTTPMethods> => METHODS.has(name)

/** What is `raw` sends by itself, and may not begin again on another server. */
const isRead = (method: string, { onReplicas, raw = false }: RouteConfig): boolean =>
  onReplicas === undefined ? method === 'get' && !raw : onReplicas !== false

/** The handler stays; what a key opened, a session opens, and who may is what the route says of the dashboard. */
const behindTheDoor = (method: string, { publishable: _, tellsUnknownTenant: __, throttle: ___, ...config }: RouteConfig): RouteConfig => ({
  ...config,
  access: 'session',
  door: true,
  onReplicas: isRead(method, config) ? 'alone' : false,
  withoutWorkspace: config.withoutWorkspace ?? config.dashboard?.role === 'operator',
})

const withQuery = ({ schema }: RouteShorthandOptions, querystring: TObject): RouteShorthandOptions => ({
  schema: { ...schema, querystring },
})

const closing = (_request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
  reply.headers({ 'Cache-Control': 'no-store', 'Cross-Origin-Resource-Policy': 'same-origin', 'X-Content-Type-Options': 'nosniff' })
  done()
}

/** Writes down what the caller is about to do; the result takes that back. */
type NoteAct = (request: FastifyRequest, note: ActNote) => Promise<() => Promise<unknown>>

/** Runs the handler of a read, in one snapshot of one server; again where that is lost on the way: it only reads. */
export type ReadOnce = <Answer>(request: FastifyRequest, reply: FastifyReply, handle: () => Promise<Answer>) => Promise<Answer>

type Behind = Readonly<{ marks?: ReadMarks; noteAct?: NoteAct; readOnce?: ReadOnce }>

/** What the request is noted as; what acts on the installation alone is noted there once. */
function notesOf(request: FastifyRequest, { notes, operates }: DashboardDoor): readonly ActNote[] {
  const { id = null } = request.params as Readonly<{ id?: string }>
  const isOfNone = request.tenant === null || request.tenant.workspaceId === INSTALLATION
  return [
    ...(notes === undefined || (operates && isOfNone) ? [] : [{ act: notes, at: 'workspace', thing: id } as const]),
    ...(operates === undefined ? [] : [{ act: operates.act, at: 'installation', thing: operates.thing(request) } as const]),
  ]
}

/** What is refused, in whatever way, was not done, nor what could not be noted wholly. Where that cannot be taken back, or the process dies before, the note stays. */
const noting = (handler: RouteHandlerMethod, dashboard: DashboardDoor, noteAct: NoteAct): RouteHandlerMethod =>
  async function (request, reply) {
    const noted: (() => Promise<unknown>)[] = []
    let isBegun = false
    try {
      for (const note of notesOf(request, dashboard)) noted.push(await noteAct(request, note))
      isBegun = true
      return await handler.call(this, request, reply)
    } catch (error) {
      if (!isBegun || toProblem(error).status < 500) for (const takeBack of noted) await takeBack().catch(() => undefined)
      throw error
    }
  }

const reading = (handler: RouteHandlerMethod, readOnce: ReadOnce): RouteHandlerMethod =>
  function (request, reply) {
    return readOnce(request, reply, async () => await handler.call(this, request, reply))
  }

type DoorRoute = Readonly<{ options: RouteShorthandOptions; handler: RouteHandlerMethod }>

/** From the inside: what is known already is not answered again; a read may run again, and what is noted is noted once. */
const wrapped = (route: DoorRoute, config: RouteConfig, { marks, noteAct, readOnce }: Behind): DoorRoute => {
  const { dashboard } = config
  if (dashboard === undefined) return route
  const { reads, notes, operates } = dashboard
  const { options, handler } = marks && reads ? answeringUnchanged(route, { reads, marks }) : route
  const read = readOnce && config.onReplicas ? reading(handler, readOnce) : handler
  return { options, handler: (notes || operates) && noteAct ? noting(read, dashboard, noteAct) : read }
}

/**
 * The second door to handlers (M72): of the routes of a plugin it registers those that say `config.dashboard`, at their path without `/public`, for sessions
 * of that role instead of keys. Register it below the prefix of the dashboard. With `marks`, what did not change is not answered again; what could not be
 * noted is not done; with `readOnce`, reads go where that lets them.
 */
export function throughSessionDoor(plugin: (app: App) => Promise<void>, behind: Behind = {}) {
  return async (app: App): Promise<void> => {
    app.addHook('onRequest', closing)
    const door = new Proxy(app, {
      get: (target, name) => {
        if (CLOSED.has(name)) return () => door
        if (!isMethod(name)) return Reflect.get(target, name)
        return (url: string, options: RouteShorthandOptions, handler: RouteHandlerMethod) => {
          if (options.config?.dashboard === undefined) return door
          const config = behindTheDoor(name, options.config)
          const { querystring } = options.config.dashboard
          const route = wrapped({ options, handler }, config, behind)
          target.route({
            ...route.options,
            method: name.toUpperCase(),
            url: url.replace(/^\/public\//, '/'),
            config,
            handler: route.handler,
            ...(querystring && withQuery(options, querystring)),
          })
          return door
        }
      },
    })
    await plugin(door)
  }
}
