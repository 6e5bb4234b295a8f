import { createHash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { IdParams, standardQuery, text, Uuid } from '@tidings/contracts'
import { asApiKeyId, asWorkspaceId } from '@tidings/domain'
import type { ApiKeyRecord, WorkspaceRecord } from '../src/auth/tenant.ts'
import type { App } from '../src/bare-app.ts'
import { type AppParts, createApp } from '../src/create-app.ts'

const apiKey = (digit: string) => `sk_evt_${digit.repeat(64)}`
const publishable = (digit: string) => `pk_evt_${digit.repeat(64)}`

export const workspaces = {
  acme: { workspaceId: asWorkspaceId('0192f0c0-0000-7000-8000-000000000001'), slug: 'acme', status: 'active' },
  other: { workspaceId: asWorkspaceId('0192f0c0-0000-7000-8000-000000000002'), slug: 'other', status: 'active' },
  asleep: { workspaceId: asWorkspaceId('0192f0c0-0000-7000-8000-000000000003'), slug: 'asleep', status: 'suspended' },
} as const satisfies Record<string, WorkspaceRecord>

const keys: Readonly<Record<string, ApiKeyRecord>> = {
  [apiKey('a')]: { keyId: asApiKeyId('0192f0c0-0000-7000-8000-0000000000a1'), workspaceId: workspaces.acme.workspaceId, status: 'active' },
  [apiKey('b')]: { keyId: asApiKeyId('0192f0c0-0000-7000-8000-0000000000a2'), workspaceId: workspaces.acme.workspaceId, status: 'revoked' },
  [apiKey('c')]: {
    keyId: asApiKeyId('0192f0c0-0000-7000-8000-0000000000a3'),
    workspaceId: workspaces.asleep.workspaceId,
    status: 'active',
  },
  [apiKey('d')]: { keyId: asApiKeyId('0192f0c0-0000-7000-8000-0000000000a4'), workspaceId: workspaces.other.workspaceId, status: 'active' },
  // The record says nothing of the kind: the key does.
  [publishable('a')]: {
    keyId: asApiKeyId('0192f0c0-0000-7000-8000-0000000000a5'),
    workspaceId: workspaces.acme.workspaceId,
    status: 'active',
  },
}
const byHash = new Map(Object.entries(keys).map(([key, record]) => [createHash('sha256').update(key).digest('hex'), record]))
const byReference = new Map<string, WorkspaceRecord>(
  Object.values(workspaces).flatMap((w) => [
    [w.slug, w],
    [w.workspaceId, w],
  ]),
)

export const credentials = {
  findKey: (hash: string) => byHash.get(hash) ?? null,
  findWorkspace: (reference: string) => byReference.get(reference) ?? null,
}

/** The header pairs that the tests present. */
export const acme = { 'x-sender-tenant': 'acme', 'x-api-key': apiKey('a') }
export const acmeRevoked = { 'x-sender-tenant': 'acme', 'x-api-key': apiKey('b') }
export const asleep = { 'x-sender-tenant': 'asleep', 'x-api-key': apiKey('c') }
export const acmePage = { 'x-sender-tenant': 'acme', 'x-api-key': publishable('a') }
export const other = { 'x-sender-tenant': 'other', 'x-api-key': apiKey('d') }

export const THING = '/api/v1/things'
export const A_UUID = '0192f0c0-0000-7000-8000-00000000000f'

const ThingBody = Type.Object({
  name: text(8, { notEmpty: true, trim: true }),
  ownerId: Type.Optional(Uuid),
  keys: Type.Optional(Type.Object({ p256dh: text(255) })),
})

/** Parts of an app with generous limits; `given` replaces any of them. */
const demoParts = (given: Partial<AppParts> = {}): AppParts => ({
  settings: { rateLimits: { default: 1_000, key: 1_000, forms: 10 } },
  authentication: { credentials },
  ...given,
})

/** A tiny service on the conventions: create, read, list and delete a thing. */
export function demoApp(given: Partial<AppParts> = {}, routes?: (api: App) => void): App {
  const app = createApp(demoParts(given))
  app.register(async (api: App) => {
    api.post(THING, { schema: { body: ThingBody } }, async (request, reply) => {
      reply.code(201)
      return { ...request.body, workspaceId: request.tenant.workspaceId }
    })
    api.get(
      THING,
      { schema: { querystring: Type.Object({ ...standardQuery, search: Type.Optional(text(16)) }) } },
      async ({ query }) => query,
    )
    api.get(`${THING}/:id`, { schema: { params: IdParams, response: { 200: Type.Object({ id: Uuid }) } } }, async ({ params }) => ({
      id: params.id,
      internal: 'never shown',
    }))
    api.delete(`${THING}/:id`, { schema: { params: IdParams } }, async (_request, reply) => reply.code(204).send())
    api.get('/api/v1/me', { config: { anyWorkspaceStatus: true, tellsUnknownTenant: true } }, async ({ tenant }) => tenant)
    api.post('/api/v1/sign-ups', { config: { publishable: true } }, async ({ tenant }) => tenant)
    routes?.(api)
  })
  return app
}
