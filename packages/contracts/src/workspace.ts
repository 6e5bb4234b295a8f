import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { exampleIds } from './examples.ts'
import { oneOf, Uuid } from './kinds.ts'

/** The version that `GET /public/me` tells (contract: Versioning). */
export const API_VERSION = '2026-01'

export const Plan = named('Plan', oneOf('free', 'starter', 'pro', 'enterprise'), 'The plan of a workspace.')
export const WorkspaceStatus = named('WorkspaceStatus', oneOf('active', 'suspended', 'closed'), 'Whether a workspace may be used.')

const tenant = Type.Object({ id: Uuid, slug: Type.String(), name: Type.String(), plan: Plan, status: WorkspaceStatus })

const Tenant = described(tenant, {
  name: 'Tenant',
  about: 'A workspace.',
  fields: {
    id: 'The UUID of the workspace.',
    slug: 'The public name of the workspace, as `X-Sender-Tenant` takes it.',
    name: 'The name for people.',
    plan: 'The plan.',
    status: 'Whether the workspace may be used.',
  },
})

/** The answer of `GET /public/me`. */
export const Me = described(Type.Object({ tenant: Tenant, apiVersion: Type.String() }), {
  name: 'Me',
  about: 'The workspace that the key belongs to, and the version of the API.',
  fields: { tenant: 'The workspace.', apiVersion: 'The version of the API.' },
  example: {
    tenant: { id: exampleIds.workspace, slug: 'acme', name: 'Acme', plan: 'free', status: 'active' },
    apiVersion: API_VERSION,
  },
})
export type Me = Static<typeof Me>
