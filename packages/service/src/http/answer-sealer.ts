import { createWorkspaceSealer, type KeyRing } from '@tidings/codec'
import type { Sealer } from '@tidings/http'

/** Seals the answers that are stored for idempotency keys. They live for a day. */
export const createAnswerSealer = (keyRing: KeyRing): Sealer => createWorkspaceSealer(keyRing, 'idempotent answer')
