/** What a text may name: a thing by its id, or people by an address, a number or a name. */
export function kindOf(text: string): 'nothing' | 'id' | 'people' {
  const wanted = text.trim()
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(wanted)) return 'id'
  return wanted.length < 2 ? 'nothing' : 'people'
}
