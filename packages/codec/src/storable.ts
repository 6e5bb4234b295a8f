import { InvalidAppend } from '@tidings/event-store'

const MAX_DEPTH = 200

const refuse = (path: string, why: string): never => {
  throw new InvalidAppend(`${path || 'the event'} ${why}`)
}

const checkText = (text: string, path: string): void => {
  if (!text.isWellFormed()) refuse(path, 'holds half a surrogate pair, which Postgres cannot store')
  if (text.includes('\0')) refuse(path, 'holds a NUL character, which Postgres cannot store')
}

/** Whether `value` survives JSON unchanged; undefined, -0, dates and their like do not. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const checkEntries = (value: object, path: string, depth: number): boolean => {
  let faithful = isPlain(value)
  for (const [key, entry] of Object.entries(value)) {
    checkText(key, path)
    faithful = check(entry, path ? `${path}.${key}` : key, depth) && faithful
  }
  return faithful
}

const check = (value: unknown, path: string, depth: number): boolean => {
  if (typeof value === 'string') {
    checkText(value, path)
    return true
  }
  if (typeof value === 'number') return Number.isFinite(value) ? !Object.is(value, -0) : refuse(path, 'is not a finite number')
  if (value === null || typeof value === 'boolean') return true
  if (typeof value !== 'object') return value === undefined ? false : refuse(path, `is a ${typeof value}, which JSON cannot hold`)
  if (depth >= MAX_DEPTH) return refuse(path, `is nested more than ${MAX_DEPTH} levels deep`)
  if (!Array.isArray(value)) return checkEntries(value, path, depth + 1)
  let faithful = true
  for (const [n, entry] of value.entries()) faithful = check(entry, `${path}[${n}]`, depth + 1) && faithful
  return faithful
}

/**
 * Refuses with `InvalidAppend`, naming the place and never the value, what cannot be stored: a string or a key with NUL or a
 * lone surrogate (architecture invariant 10), a number that is not finite, what JSON does not know.
 * False where JSON would change the value on its way (undefined, -0, Date): it reads back differently.
 */
export const checkStorable = (value: unknown): boolean => check(value, '', 0)
