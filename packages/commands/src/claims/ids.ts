import { uuidv5 } from '@tidings/codec'
import type { ClaimKind } from '@tidings/domain'

const NAMESPACE = '5f0f8f0e-2d3f-5c57-9c3b-2b8f6f2f4a11'
const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/

/**
 * The contact id of a command's n-th attempt: the same for whoever runs the command again.
 * It sorts by the command's time where the command id does (version 7), because primary keys like that.
 */
export const contactIdFor = (commandId: string, attempt: number): string => {
  const derived = uuidv5(`${commandId}|contact|${attempt}`, NAMESPACE)
  return VERSION_7.test(commandId) ? `${commandId.slice(0, 14)}7${derived.slice(15)}` : derived
}

/** One id for one logical claim: whoever repeats the attempt claims under the same id, every other claim has another. */
export const claimIdFor = (of: Readonly<{ commandId: string; attempt: number; kind: ClaimKind; ownerId: string }>): string =>
  uuidv5(`${of.commandId}|${of.kind}|${of.ownerId}|${of.attempt}`, NAMESPACE)
