/** Hardly any text has so many digits in a row; a text without them is not looked at again. */
const MAY_BE_INEXACT = /\d{16}/

/**
 * The place of the first integer of a JSON text that is beyond 2^53 - 1, so that JavaScript may change it; null where there is none. Every one is: an
 * id that is kept by chance would be refused with the next order. A fraction is the nearest double, as in every reader of JSON. The text must be JSON.
 */
export function inexactNumber(json: string): string | null {
  if (!MAY_BE_INEXACT.test(json)) return null
  const open: Frame[] = []
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = readText(json, at, open.at(-1))
    else if (code === OPEN_OBJECT) open.push({ key: null, index: 0 })
    else if (code === OPEN_ARRAY) open.push({ key: null, index: 0 })
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) open.pop()
    else if (code === COMMA) next(open.at(-1))
    else if (code === MINUS || isDigit(code)) {
      const source = numberAt(json, at)
      if (isChanged(Number(source), source)) return placeOf(json, open)
      at += source.length - 1
    }
  }
  return null
}

/** An object or array that is open: where its last key is written, or how many elements it had. */
type Frame = { key: readonly [from: number, to: number] | null; index: number }

const [QUOTE, COMMA, MINUS, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x2c, 0x2d, 0x5b, 0x5d, 0x7b, 0x7d]
const [BACKSLASH, COLON, SPACE] = [0x5c, 0x3a, 0x20]
const NUMBER = /[-+.\deE]+/y

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

const next = (frame: Frame | undefined): void => {
  if (frame !== undefined) frame.index++
}

/** The end of the text that begins at `from`; it is a key where a colon follows. */
const readText = (json: string, from: number, frame: Frame | undefined): number => {
  let to = from + 1
  while (to < json.length && json.charCodeAt(to) !== QUOTE) to += json.charCodeAt(to) === BACKSLASH ? 2 : 1
  let behind = to + 1
  while (behind < json.length && json.charCodeAt(behind) <= SPACE) behind++
  if (frame !== undefined && json.charCodeAt(behind) === COLON) frame.key = [from, to + 1]
  return to
}

const numberAt = (json: string, at: number): string => {
  NUMBER.lastIndex = at
  return NUMBER.exec(json)?.[0] ?? ''
}

/** A place is for a person to find: of one that is nested deeply the end is left out. */
const MAX_DEPTH = 20
const MAX_PLACE = 500

/** `lines.0.id`. */
const placeOf = (json: string, open: readonly Frame[]): string =>
  open
    .slice(0, MAX_DEPTH)
    .map(({ key, index }) => (key === null ? String(index) : String(JSON.parse(json.slice(...key)))))
    .join('.')
    .slice(0, MAX_PLACE)

/** A number beyond what one can be is refused elsewhere. */
const isChanged = (value: number, source: string): boolean =>
  Math.abs(value) > Number.MAX_SAFE_INTEGER && Number.isFinite(value) && isWhole(source)

/** Written out, or with more digits than a double has. */
const isWhole = (source: string): boolean => !/[eE]/.test(source) || source.replace(/[eE].*$/s, '').replace(/\D/g, '').length > 17
