import { type Static, Type } from '@sinclair/typebox'
import { oneOf, Uuid } from './kinds.ts'

/** The version that `GET /public/me` tells (contract: Versioning). */
export const API_VERSION = '2026-01'

/** What `GET /public/me` answers. */
export const Me = Type.Object({
  tenant: Type.Object({
    id: Uuid,
    slug: Type.String(),
    name: Type.String(),
    plan: oneOf('free', 'starter', 'pro', 'enterprise'),
    status: oneOf('active', 'suspended', 'closed'),
  }),
  apiVersion: Type.String(),
})
export type Me = Static<typeof Me>
