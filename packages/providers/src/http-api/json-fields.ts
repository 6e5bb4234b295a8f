export type Fields = Readonly<Record<string, unknown>>

/** The members of an object; none where the value is no object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

/** The members of the object that a text is, as JSON; none where it is something else. */
export function fieldsIn(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    return {}
  }
}
