import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../validation/object-rule.ts'

export type Json = Readonly<Record<string, unknown>>

/** Turns the schemas of routes into those of the document, and collects those that have a name. */
export type SchemaComponents = Readonly<{
  /** `strict`: what is not declared is refused, as in a body. Throws where two different schemas have one name. */
  publish: (schema: Json, strict?: boolean) => Json
  all: () => Readonly<Record<string, Json>>
}>

/** Our own keywords of strings, as JSON Schema says them. */
const ofText = ({ trim, notEmpty }: Json): Json => {
  if (notEmpty !== true) return {}
  return trim === true ? { pattern: '\\S' } : { minLength: 1 }
}

/** An enumeration with null in it is one without, or null: generators have a type for the one, and none for the other. */
const withoutNull = (schema: Json): Readonly<{ whole: Json; nullable: boolean }> => {
  const { enum: values, type } = schema
  if (!Array.isArray(values) || !Array.isArray(type) || !values.includes(null)) return { whole: schema, nullable: false }
  return { whole: { ...schema, type: type.find((one) => one !== 'null'), enum: values.filter((value) => value !== null) }, nullable: true }
}

/**
 * A schema with a `title` becomes a component of that name wherever it is used. `sentence` is what the property says that the schema is for: it is
 * the description beside the reference. Private keywords (`trim`, `notEmpty`, `visible`, `verbatim`, `timezone`, `sentence`) are not published.
 */
export function createSchemaComponents(): SchemaComponents {
  const components = new Map<string, Json>()

  const publish = (schema: Json, strict = false): Json => {
    const { title, sentence, trim: _trim, notEmpty: _notEmpty, visible: _visible, ...rest } = schema
    const { verbatim: _verbatim, timezone: _timezone, ...keywords } = rest
    const own = { ...withInner(keywords, strict), ...ofText(schema) }
    const described = sentence === undefined ? {} : { description: sentence }
    if (typeof title !== 'string') return { ...own, ...described }
    const { whole, nullable } = withoutNull(own)
    const known = components.get(title)
    if (known !== undefined && !isDeepStrictEqual(known, whole)) throw new Error(`two schemas of the API are named ${title}`)
    components.set(title, whole)
    const reference = { $ref: `#/components/schemas/${title}` }
    return { ...(nullable ? { anyOf: [reference, { type: 'null' }] } : reference), ...described }
  }

  const withInner = (schema: Json, strict: boolean): Json => {
    const { properties, items, anyOf } = schema
    const inner: Record<string, unknown> = { ...schema }
    if (isRecord(items)) inner.items = publish(items, strict)
    if (Array.isArray(anyOf)) inner.anyOf = anyOf.map((one: unknown) => (isRecord(one) ? publish(one, strict) : one))
    if (isRecord(properties)) {
      inner.properties = Object.fromEntries(
        Object.entries(properties).map(([key, property]) => [key, isRecord(property) ? publish(property, strict) : property]),
      )
      if (strict) inner.additionalProperties = false
    }
    return inner
  }

  return { publish, all: () => Object.fromEntries([...components].sort(([one], [other]) => (one < other ? -1 : 1))) }
}
