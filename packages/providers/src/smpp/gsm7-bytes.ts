import { GSM7_BASIC, GSM7_EXTENSION } from '@tidings/domain'

const ESCAPE = 0x1b
const CODES: ReadonlyMap<string, number> = new Map([...GSM7_BASIC].map((character, code) => [character, code]))
const CHARACTERS = [...GSM7_BASIC]
const EXTENDED: ReadonlyMap<number, string> = new Map([...GSM7_EXTENSION].map(([character, code]) => [code, character]))

/** The codes of one character, one septet a byte as SMPP carries them: two of an extension character, `?` of what GSM-7 lacks. */
export function gsm7Codes(character: string): readonly number[] {
  const extended = GSM7_EXTENSION.get(character)
  return extended === undefined ? [CODES.get(character) ?? 0x3f] : [ESCAPE, extended]
}

/** An escape before a code that the extension table lacks reads as that code alone (3GPP TS 23.038 §6.2.1.1); bytes over 0x7F as `?`. */
export function decodeGsm7(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; at++) {
    const isEscape = bytes[at] === ESCAPE
    const code = (isEscape ? bytes[++at] : bytes[at]) ?? 0x20
    text += (isEscape ? EXTENDED.get(code) : undefined) ?? CHARACTERS[code] ?? '?'
  }
  return text
}
