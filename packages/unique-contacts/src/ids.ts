import { uuidv5 } from '@tidings/codec'
import type { ClaimKind } from '@tidings/domain'

const NAMESPACE = '5f0f8f0e-2d3f-5c57-9c3b-2b8f6f2f4a11'
const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/

/**
 * The contact id of a command's n-th attempt, the same when the command runs again.
 * It sorts by the command's time where the command id does (version 7): inserts stay at the right edge of the primary key's index.
 */
export function contactIdFor(commandId: string, attempt: number): string {
  const derived = uuidv5(`${commandId}|contact|${attempt}`, NAMESPACE)
  return VERSION_7.test(commandId) ? `${commandId.slice(0, 14)}7${derived.slice(15)}` : derived
}

/** The id of one logical claim: a repeated attempt claims under the same id, every other claim has another. */
export function claimIdFor(of: Readonly<{ commandId: string; attempt: number; kind: ClaimKind; ownerId: string }>): string {
  return uuidv5(`${of.commandId}|${of.kind}|${of.ownerId}|${of.attempt}`, NAMESPACE)
}
