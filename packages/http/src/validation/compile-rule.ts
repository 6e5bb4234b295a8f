import { sentence } from './messages.ts'
import { freeObjectRule, objectRule } from './object-rule.ts'
import { Fault, isNullable, type Rule, type Schema } from './rule.ts'
import { stringRule } from './string-rule.ts'

const enumRule =
  (values: readonly unknown[]): Rule =>
  (value, name) =>
    values.includes(value) ? value : new Fault(sentence.oneOf(name, values))

const booleanRule: Rule = (value, name) => (typeof value === 'boolean' ? value : new Fault(sentence.boolean(name)))

/** Safe integers only: what is larger has already lost its last digits, and no column takes it. */
const numberRule =
  ({ type, minimum, maximum }: Schema): Rule =>
  (value, name) => {
    if (typeof value !== 'number') return new Fault(type === 'integer' ? sentence.integer(name) : sentence.number(name))
    if (type === 'integer' && !Number.isSafeInteger(value)) return new Fault(sentence.integer(name))
    if (minimum !== undefined && value < minimum) return new Fault(sentence.least(name, minimum))
    return maximum !== undefined && value > maximum ? new Fault(sentence.most(name, maximum)) : value
  }

const arrayRule = ({ items, minItems = 0, maxItems = Number.POSITIVE_INFINITY }: Schema): Rule => {
  const element = items === undefined ? undefined : compileRule(items)
  return (value, name) => {
    if (!Array.isArray(value)) return new Fault(sentence.array(name))
    if (value.length > maxItems) return new Fault(sentence.mostItems(name, maxItems))
    if (value.length < minItems) return new Fault(minItems === 1 ? sentence.notEmpty(name) : sentence.leastItems(name, minItems))
    if (element === undefined) return value
    const checked: unknown[] = []
    for (const item of value) {
      const result = element(item, `each value in ${name}`)
      if (result instanceof Fault) return result
      checked.push(result)
    }
    return checked
  }
}

const orNull =
  (rule: Rule): Rule =>
  (value, name) =>
    value === null ? null : rule(value, name)

const ofType = (type: string | undefined, schema: Schema): Rule => {
  if (schema.enum !== undefined) return enumRule(schema.enum)
  switch (type) {
    case 'string':
      return stringRule(schema)
    case 'integer':
    case 'number':
      return numberRule(schema)
    case 'boolean':
      return booleanRule
    case 'array':
      return arrayRule(schema)
    case 'object':
      return schema.properties === undefined ? freeObjectRule : objectRule(schema, compileRule)
    default:
      throw new Error(`No rule judges a schema of type ${String(type)}.`)
  }
}

/** Makes the rule of a schema, once. Throws on keywords that it does not know how to judge, so that nothing goes unchecked. */
export function compileRule(schema: Schema): Rule {
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.find((one) => one !== 'null')
  const rule = ofType(type, schema)
  return isNullable(schema) ? orNull(rule) : rule
}
