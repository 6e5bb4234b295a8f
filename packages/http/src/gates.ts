import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'

export type Passed = (error?: Error) => void

/** What a caller has to pass before a route believes anything it says: the rate limits, then the key. */
export type Gate = (request: FastifyRequest, reply: FastifyReply, done: Passed) => void

declare module 'fastify' {
  interface FastifyContextConfig {
    /** In the order they are asked. */
    gates?: readonly Gate[]
  }
}

/** Puts a gate before those that the route has. They are asked once the body is parsed, and before a large one is read. */
export const addGate = (route: RouteOptions, gate: Gate): void => {
  route.config = { ...route.config, gates: [gate, ...(route.config?.gates ?? [])] }
  route.preValidation = [(request, reply, done) => gate(request, reply, done), ...[route.preValidation ?? []].flat()]
}

/** Asks one gate after the other; the first that refuses ends it. */
export const passGates = (gates: readonly Gate[], request: FastifyRequest, reply: FastifyReply): ((done: Passed) => void) => {
  const pass = (index: number, done: Passed): void => {
    const gate = gates[index]
    if (gate === undefined) done()
    else gate(request, reply, (error) => (error ? done(error) : pass(index + 1, done)))
  }
  return (done) => pass(0, done)
}
