import { Type } from '@sinclair/typebox'
import fp from 'fastify-plugin'

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** What a route does not declare, it does not take: without a schema for its query or body, any property there is a 400 (contract: Requests). */
export const whitelist = fp(
  async (app) => {
    app.addHook('onRoute', (route) => {
      if (route.config?.raw) return
      const schema = { ...route.schema }
      schema.querystring ??= Type.Object({})
      if ([route.method].flat().some((method) => WITH_BODY.has(method))) schema.body ??= Type.Object({})
      route.schema = schema
    })
  },
  { name: 'whitelist' },
)
