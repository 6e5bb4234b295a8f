import { decodeHTMLAttribute } from 'entities/decode'

/** An address that a reader can use; that of a mail or a telephone is the part behind its scheme. */
export function addressOf(href: string): string | null {
  const address = decodeHTMLAttribute(href).replace(/\s+/g, '')
  if (/^https?:/i.test(address)) return address
  return /^(?:mailto|tel|sms):([^?]+)/i.exec(address)?.[1] ?? null
}

const BEYOND_ASCII = /\P{ASCII}/u

/** Programs that look for addresses in a text stop at other letters, and one of letters from right to left is shown in pieces. */
export function inAscii(address: string): string {
  return BEYOND_ASCII.test(address) && /^https?:/i.test(address) && URL.canParse(address) ? new URL(address).href : address
}

/** An address as people write it. */
export function bare(address: string): string {
  return address
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/, '')
    .replace(/\/$/, '')
}
