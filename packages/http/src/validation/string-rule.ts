import { validEmail } from '@tidings/addresses'
import { inNfc, isTimezone, isUuid, isVisible, parseTime } from '@tidings/domain'
import { sentence } from './messages.ts'
import { Fault, type Rule, type Schema } from './rule.ts'

type Check = (text: string, name: string) => string | undefined

const formats: Readonly<Record<string, Check>> = {
  uuid: (text, name) => (isUuid(text) ? undefined : sentence.uuid(name)),
  'date-time': (text, name) => (parseTime(text) !== null ? undefined : sentence.date(name)),
}

/** Counting takes a pass over the text; it is only needed where the number of UTF-16 units does not decide. */
const fits = (text: string, minimum: number, maximum: number): boolean => {
  if (text.length <= maximum && text.length >= minimum * UNITS_A_CHARACTER) return true
  if (text.length > maximum * UNITS_A_CHARACTER) return false
  const count = characterCount(text)
  return count >= minimum && count <= maximum
}

const lengthCheck = ({ minLength, maxLength }: Schema): Check | undefined => {
  if (minLength === undefined && maxLength === undefined) return undefined
  const minimum = minLength ?? 0
  const maximum = maxLength ?? Number.POSITIVE_INFINITY
  const fault = (name: string): string => {
    if (minLength === undefined) return sentence.longest(name, maximum)
    return maxLength === undefined ? sentence.shortest(name, minimum) : sentence.length(name, minimum, maximum)
  }
  return (text, name) => (fits(text, minimum, maximum) ? undefined : fault(name))
}

const patternCheck = (pattern: string): Check => {
  const expression = new RegExp(pattern, 'u')
  return (text, name) => (expression.test(text) ? undefined : sentence.matches(name, pattern))
}

const formatCheck = (format: string): Check => {
  const check = formats[format]
  if (check === undefined) throw new Error(`No rule judges the string format ${format}.`)
  return check
}

/** An email in its one form, or the fault. */
const emailForm = (text: string, name: string): string | Fault => validEmail(text) ?? new Fault(sentence.email(name))

/** Judges the text in NFC, unless it stays as it was sent; in this order: empty, format or pattern, length, time zone. */
export function stringRule(schema: Schema): Rule {
  const checks: Check[] = []
  if (schema.notEmpty) checks.push((text, name) => (text === '' ? sentence.notEmpty(name) : undefined))
  if (schema.visible) checks.push((text, name) => (isVisible(text) ? undefined : sentence.visible(name)))
  const isEmail = schema.format === 'email'
  if (schema.format !== undefined && !isEmail) checks.push(formatCheck(schema.format))
  if (schema.pattern !== undefined) checks.push(patternCheck(schema.pattern))
  const length = lengthCheck(schema)
  if (length !== undefined) checks.push(length)
  if (schema.timezone) checks.push((text, name) => (text === '' || isTimezone(text) ? undefined : sentence.timezone(name)))
  const lower = schema.format === 'uuid'
  const trim = schema.trim === true
  const isVerbatim = schema.verbatim === true
  return (value, name) => {
    if (typeof value !== 'string') return new Fault(sentence.string(name))
    const written = trim ? value.trim() : value
    const text = isEmail ? emailForm(written, name) : isVerbatim ? written : inNfc(written)
    if (text instanceof Fault) return text
    for (const check of checks) {
      const fault = check(text, name)
      if (fault !== undefined) return new Fault(fault)
    }
    return lower ? text.toLowerCase() : text
  }
}

/** The most UTF-16 units that one character takes: a surrogate pair and a variation selector. */
const UNITS_A_CHARACTER = 3

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
const isSelector = (unit: number): boolean => unit === 0xfe0e || unit === 0xfe0f

/**
 * The length of a text as class-validator measures it (validator.js `isLength`): a surrogate pair is one character, and a variation
 * selector after another character is none.
 */
export function characterCount(text: string): number {
  let count = text.length
  for (let at = 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const before = text.charCodeAt(at - 1)
    if ((isLow(unit) && isHigh(before)) || (isSelector(unit) && !isSelector(before))) count--
  }
  return count
}
