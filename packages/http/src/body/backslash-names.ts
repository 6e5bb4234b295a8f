import { BACKSLASH, endOfString, QUOTE } from './end-of-string.ts'

const [COLON, SPACE] = [0x3a, 0x20]
const WRITTEN = /\\\\|\\u005c/i

/**
 * Whether a member's name contains a backslash. Once V8 13.6 to 14.6 has parsed one, an escaped name of another text is read as that name, or as a
 * member less (https://github.com/nodejs/node/issues/63785): of any caller, for as long as the process lives. 8 MiB take as long as counting values.
 */
export function hasBackslashName(json: Buffer): boolean {
  for (let at = json.indexOf(QUOTE); at !== -1 && at < json.length; at = json.indexOf(QUOTE, at)) {
    const end = endOfString(json, at + 1)
    if (isName(json, end) && containsBackslash(json.subarray(at + 1, end))) return true
    at = end + 1
  }
  return false
}

const isName = (json: Buffer, end: number): boolean => {
  let at = end + 1
  while (at < json.length && json[at]! <= SPACE) at++
  return json[at] === COLON
}

const containsBackslash = (name: Buffer): boolean => name.includes(BACKSLASH) && WRITTEN.test(name.toString('latin1'))
