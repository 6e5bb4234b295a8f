import { isUuid } from '@tidings/domain'

/** What a text may name: a thing by its id, or people by an address, a number or a name. */
export function kindOf(text: string): 'nothing' | 'id' | 'people' {
  const wanted = text.trim()
  if (isUuid(wanted)) return 'id'
  return wanted.length < 2 ? 'nothing' : 'people'
}
