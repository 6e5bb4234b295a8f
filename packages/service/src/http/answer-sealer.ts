import { createWorkspaceSealer, type KeyRing } from '@tidings/codec'
import type { Sealer } from '@tidings/http'

/** Seals the answers that are stored for idempotency keys. They live for a day. */
export function createAnswerSealer(keyRing: KeyRing): Sealer {
  return createWorkspaceSealer(keyRing, 'idempotent answer')
}
