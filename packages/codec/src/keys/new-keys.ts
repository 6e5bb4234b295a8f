import { randomBytes } from 'node:crypto'
import type { SubjectRef } from './key-store.ts'
import { type MasterKey, subjectKeyContext, wrap } from './master-key.ts'

const KEY_BYTES = 32

/** A key of its own for each of them, wrapped. A subject twice in one batch is asked for twice; the store gives both the same key. */
export function candidates(masterKey: MasterKey, refs: readonly SubjectRef[]): readonly (SubjectRef & Readonly<{ wrapped: Buffer }>)[] {
  return refs.map((ref) => ({
    ...ref,
    wrapped: wrap(masterKey, randomBytes(KEY_BYTES), subjectKeyContext(ref.workspaceId, ref.subject, 1)),
  }))
}
