import { type Static, Type } from '@sinclair/typebox'
import { NullableTimestamp, oneOf, Timestamp, text, Uuid } from './kinds.ts'

const record = {
  id: Uuid,
  name: Type.String(),
  prefix: Type.String(),
  status: oneOf('active', 'revoked'),
  lastUsedAt: NullableTimestamp,
  createdAt: Timestamp,
  revokedAt: NullableTimestamp,
}

/** The record of a key (N34). */
export const ApiKey = Type.Object(record)
export type ApiKey = Static<typeof ApiKey>

/** Newest first. */
export const ApiKeys = Type.Array(ApiKey)

/** The whole key is in no other answer. */
export const CreatedApiKey = Type.Object({ ...record, key: Type.String() })

export const CreateApiKeyBody = Type.Object({ name: Type.Optional(text(255, { trim: true, notEmpty: true })) })
