const PLAIN: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const REFERENCE = /&(?:#(\d{1,4});|#[xX]([\da-fA-F]{1,4});|([a-zA-Z][a-zA-Z0-9]*)(;?))/g
/** Spaces and control characters: each program repairs an address with these in its own way. */
const ODD = /[\p{Cc}\s]/u
const HTTP = /^https?:\/\/[^/?#]/i

/** Longer ones are not tracked: some programs cut a URL that is longer than this with its token. */
const MAX_LENGTH = 2_000

/**
 * The address that a `href` means, where it can be tracked without doubt: http or https, of a bounded length, nothing in it that programs read
 * differently. Null for all others (mailto, tel, an anchor, a relative path), which stay as they are written.
 */
export function linkAddress(source: string): string | null {
  const trimmed = source.trim()
  if (trimmed.length > 2 * MAX_LENGTH || !HTTP.test(trimmed)) return null
  const address = trimmed.includes('&') ? withoutReferences(trimmed) : trimmed
  if (address === null || address.length > MAX_LENGTH || ODD.test(address) || !address.isWellFormed()) return null
  return URL.canParse(address) ? address : null
}

/** Resolves the character references of an attribute (HTML standard, 13.2.5.73); null where it holds one that is not known here. */
const withoutReferences = (text: string): string | null => {
  let known = true
  const plain = text.replace(REFERENCE, (whole: string, ...found: unknown[]) => {
    const [decimal, hex, name, semicolon, at] = found as [string?, string?, string?, string?, number?]
    if (name === undefined) {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      if (code > 32 && code < 127) return String.fromCharCode(code)
    } else {
      // `&copy=1` is a parameter named copy, in every program.
      if (semicolon === '' && text[(at ?? 0) + whole.length] === '=') return whole
      const character = Object.hasOwn(PLAIN, name) && (semicolon === ';' || name !== 'apos') ? PLAIN[name] : undefined
      if (character !== undefined) return character
    }
    known = false
    return whole
  })
  return known && !plain.includes('&#') ? plain : null
}
