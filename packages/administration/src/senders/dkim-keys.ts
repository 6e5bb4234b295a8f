import { generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { asciiDomain } from '@tidings/addresses'
import type { TxtRecord } from './domain-record.ts'

/** RFC 6376 §3.6.2.1. */
export function dkimName(domain: string, selector: string): string {
  return `${selector}._domainkey.${asciiDomain(domain)}`
}

export function dkimTxt(domain: string, { selector, publicKey }: Readonly<{ selector: string; publicKey: string }>): TxtRecord {
  return { name: dkimName(domain, selector), type: 'TXT', value: `v=DKIM1; k=rsa; p=${publicKey}` }
}

/** Whether one of the texts is the record of this key, blanks aside. */
export function showsKey(texts: readonly string[], publicKey: string): boolean {
  return texts.some((text) => text.replace(/\s/g, '').split(';').includes(`p=${publicKey}`))
}

/** RSA of 2 048 bits: every receiver verifies it, not all of them Ed25519 (RFC 8463). `privateKey`: PKCS#8 as PEM. */
export async function newDkimKey(): Promise<Readonly<{ selector: string; publicKey: string; privateKey: string }>> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  return { selector: `t${day}-${randomBytes(3).toString('hex')}`, publicKey: publicKey.toString('base64'), privateKey }
}
