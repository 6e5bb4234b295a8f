import { Refused } from '../kernel.ts'
import { inNfc, utf8Length } from '../values.ts'
import type { Json } from './contact.events.ts'

const CUSTOM_PROPERTIES_MAX_BYTES = 32 * 1024
const CUSTOM_PROPERTIES_MAX_KEYS = 200

type CustomProperties = Readonly<Record<string, Json>>

/** Shallow merge in which a null deletes its key (G12); refuses a result that is too large (M20). */
export function mergeCustomProperties(known: CustomProperties, patch: CustomProperties): CustomProperties {
  // A Map keeps a key called `__proto__` an ordinary key.
  // One that was stored before M46 may have another canonical form than the patch.
  const merged = new Map<string, Json>(Object.entries(known).map(([key, value]) => [inNfc(key), value]))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, value)
  }
  const result = Object.fromEntries(merged)
  if (merged.size > CUSTOM_PROPERTIES_MAX_KEYS) throw new Refused('custom_properties_too_many_keys', { max: CUSTOM_PROPERTIES_MAX_KEYS })
  if (utf8Length(JSON.stringify(result)) > CUSTOM_PROPERTIES_MAX_BYTES)
    throw new Refused('custom_properties_too_large', { maxBytes: CUSTOM_PROPERTIES_MAX_BYTES })
  return result
}
