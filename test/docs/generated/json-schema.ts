import ts from 'typescript'

export type JsonSchema = { readonly [keyword: string]: unknown }

const has = ({ flags }: ts.Type, flag: ts.TypeFlags): boolean => (flags & flag) !== 0

/** A value of any JSON: what the domain calls `Json`, and what holds itself. */
const ANY: JsonSchema = {}

const literalOf = (checker: ts.TypeChecker, type: ts.Type): string | number | boolean | null | undefined => {
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value
  if (has(type, ts.TypeFlags.BooleanLiteral)) return checker.typeToString(type) === 'true'
  return has(type, ts.TypeFlags.Null) ? null : undefined
}

/** An id: a text that only the compiler tells from other texts. */
const isBranded = (type: ts.Type): boolean => type.isIntersection() && type.types.some((part) => has(part, ts.TypeFlags.String))

const compare = (a: unknown, b: unknown): number => Number(a === null) - Number(b === null) || (String(a) < String(b) ? -1 : 1)

const unionSchema = (checker: ts.TypeChecker, members: readonly ts.Type[], seen: readonly ts.Type[]): JsonSchema => {
  const literals = members.map((member) => literalOf(checker, member))
  if (literals.length === 2 && literals.includes(true) && literals.includes(false)) return { type: 'boolean' }
  if (literals.every((literal) => literal !== undefined)) return { enum: literals.toSorted(compare) }
  const words = literals.filter((literal) => literal !== undefined && literal !== null)
  const isBoolean = words.length === 2 && words.every((word) => typeof word === 'boolean')
  const others = members.filter((_, n) => literals[n] === undefined).map((member) => schemaOf(checker, member, seen))
  const parts = [
    ...others.toSorted((a, b) => compare(JSON.stringify(a), JSON.stringify(b))),
    ...(isBoolean ? [{ type: 'boolean' }] : words.length > 0 ? [{ enum: words.toSorted(compare) }] : []),
    ...(literals.includes(null) ? [{ type: 'null' }] : []),
  ]
  return parts.length === 1 ? (parts[0] ?? ANY) : { anyOf: parts }
}

const objectSchema = (checker: ts.TypeChecker, type: ts.Type, seen: readonly ts.Type[]): JsonSchema => {
  const properties = checker.getPropertiesOfType(type)
  const rest = checker.getIndexInfoOfType(type, ts.IndexKind.String)
  const required = properties.filter(({ flags }) => (flags & ts.SymbolFlags.Optional) === 0).map(({ name }) => name)
  return {
    type: 'object',
    ...(properties.length > 0 && {
      properties: Object.fromEntries(
        properties.map((property) => [property.name, schemaOf(checker, checker.getTypeOfSymbol(property), seen)]),
      ),
    }),
    ...(required.length > 0 && { required }),
    ...(rest !== undefined && { additionalProperties: schemaOf(checker, rest.type, seen) }),
  }
}

/** The JSON Schema (2020-12) of a type that is stored as JSON. Throws for one that JSON cannot hold. */
export function schemaOf(checker: ts.TypeChecker, type: ts.Type, seen: readonly ts.Type[] = []): JsonSchema {
  if (type.aliasSymbol?.name === 'Json' || has(type, ts.TypeFlags.Unknown) || seen.includes(type)) return ANY
  const within = [...seen, type]
  if (type.isUnion())
    return unionSchema(
      checker,
      type.types.filter((member) => !has(member, ts.TypeFlags.Undefined)),
      within,
    )
  const literal = literalOf(checker, type)
  if (literal !== undefined) return literal === null ? { type: 'null' } : { const: literal }
  if (has(type, ts.TypeFlags.String) || isBranded(type)) return { type: 'string' }
  if (has(type, ts.TypeFlags.Number)) return { type: 'number' }
  if (checker.isTupleType(type)) {
    const items = checker.getTypeArguments(type as ts.TypeReference).map((item) => schemaOf(checker, item, within))
    return { type: 'array', prefixItems: items, minItems: items.length }
  }
  if (checker.isArrayType(type)) {
    const [item] = checker.getTypeArguments(type as ts.TypeReference)
    return { type: 'array', items: item === undefined ? ANY : schemaOf(checker, item, within) }
  }
  if (has(type, ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return objectSchema(checker, type, within)
  throw new Error(`${checker.typeToString(type)} has no JSON Schema`)
}
