import { Refused } from '../kernel.ts'
import { inNfc } from '../values.ts'
import type { ContactDetails, Json } from './contact.events.ts'
import type { ContactPatch } from './contact-commands.ts'
import { mergeCustomProperties } from './custom-properties.ts'

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** The part of a patch that fills empty fields: it replaces and removes nothing. If there is no room for its properties, all of them are left out. */
export function fillingOnly(known: ContactDetails, { customProperties = {}, tags, ...plain }: ContactPatch): ContactPatch {
  const before = new Map<string, Json>(Object.entries({ ...known, customProperties: {}, tags: [] }))
  const filled = Object.entries(plain).filter(([field, value]) => !isEmpty(value) && isEmpty(before.get(field)))
  return {
    ...Object.fromEntries(filled),
    ...(tags && known.tags.length === 0 && { tags }),
    ...propertiesAdded(known.customProperties, customProperties),
  }
}

type Properties = ContactDetails['customProperties']

const propertiesAdded = (known: Properties, patch: Properties): Pick<ContactPatch, 'customProperties'> => {
  const before = new Map(Object.entries(known).map(([key, value]) => [inNfc(key), value]))
  const added = Object.entries(patch).filter(([key, value]) => !isEmpty(value) && isEmpty(before.get(inNfc(key))))
  const customProperties = Object.fromEntries(added)
  return added.length > 0 && hasRoom(known, customProperties) ? { customProperties } : {}
}

const hasRoom = (known: Properties, customProperties: Properties): boolean => {
  try {
    mergeCustomProperties(known, customProperties)
    return true
  } catch (error) {
    if (error instanceof Refused) return false
    throw error
  }
}
