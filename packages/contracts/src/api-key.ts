import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { ApiKeyUuid, NullableTimestamp, nameText, oneOf, Timestamp } from './kinds.ts'

const record = {
  id: ApiKeyUuid,
  name: Type.String(),
  kind: named('ApiKeyKind', oneOf('secret', 'publishable'), 'What a key opens: everything, or what a page may do.'),
  prefix: Type.String(),
  status: named('ApiKeyStatus', oneOf('active', 'revoked'), 'Whether requests with a key are accepted.'),
  lastUsedAt: NullableTimestamp,
  createdAt: Timestamp,
  revokedAt: NullableTimestamp,
}

const sentences = {
  id: 'The UUID of the key.',
  name: 'The name of the key; `API key` where none was given.',
  kind: '`secret` opens every public route; `publishable` only the sign-up by a form and the registration of a browser for push.',
  prefix: 'The first characters of the key, to tell it from others.',
  status: 'Whether requests with the key are accepted.',
  lastUsedAt: 'When the key authenticated a request last, or null.',
  createdAt: 'When the key was created.',
  revokedAt: 'When the key was revoked, or null.',
} as const

const example = {
  ...{ id: exampleIds.apiKey, name: 'Shop', kind: 'secret' as const, prefix: 'sk_evt_01234567', status: 'active' as const },
  ...{ lastUsedAt: null, createdAt: exampleTime, revokedAt: null },
}

/** The record of a key (N34). */
export const ApiKey = described(Type.Object(record), {
  name: 'ApiKey',
  about: 'An API key, without the key itself.',
  fields: sentences,
  example,
})
export type ApiKey = Static<typeof ApiKey>

/** Newest first. */
export const ApiKeys = named('ApiKeys', Type.Array(ApiKey), 'Every key of the workspace, newest first.')

/** The whole key is in no other answer. */
export const CreatedApiKey = described(Type.Object({ ...record, key: Type.String() }), {
  name: 'CreatedApiKey',
  about: 'A new key, which is shown this once.',
  fields: { ...sentences, key: 'The whole key: `sk_evt_`, or `pk_evt_` where it is publishable, and 64 hexadecimal characters.' },
  example: { ...example, key: `sk_evt_${'0123456789abcdef'.repeat(4)}` },
})

export const CreateApiKeyBody = described(Type.Object({ name: Type.Optional(nameText(255)) }), {
  name: 'CreateApiKeyBody',
  about: 'A new API key.',
  fields: { name: 'The name, 1 to 255 characters; `API key` where it is left out.' },
  example: { name: 'Shop' },
})
