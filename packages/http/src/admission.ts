import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'

type Done = (error?: Error) => void

/** What a request has to pass before anything that it says is believed: the rate limits, then the key. */
type AdmissionCheck = (request: FastifyRequest, reply: FastifyReply, done: Done) => void

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The steps in the order of the plugins that added them. */
    admission?: readonly AdmissionCheck[]
  }
}

/** Adds a check to those of the route. */
export function addAdmissionCheck(route: RouteOptions, check: AdmissionCheck): void {
  route.config = { ...route.config, admission: [...(route.config?.admission ?? []), check] }
}

/** Runs the checks of the request's route one after the other; the first refusal ends it. */
export function admit(request: FastifyRequest, reply: FastifyReply, done: Done): void {
  const checks = request.routeOptions.config.admission ?? []
  const run = (index: number): void => {
    const check = checks[index]
    if (check === undefined) done()
    else check(request, reply, (error) => (error ? done(error) : run(index + 1)))
  }
  run(0)
}

/** Runs the admission checks of every route once its body is parsed; those of a large body also run before it is read (`body/bodies.ts`). */
export const admission = fp(
  async (app) => {
    app.addHook('preValidation', admit)
  },
  { name: 'admission' },
)
