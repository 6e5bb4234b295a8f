import { createPublicKey, verify } from 'node:crypto'

/** The sender's claims (RFC 8292). `key`: the public key as base64url. */
export type VapidClaims = Readonly<{ aud: string; exp: number; sub: string; key: string }>

/** The claims of an `Authorization` header; null where it is none, its signature is wrong, or it has expired. */
export function verifyVapid(authorization: string | undefined, now: number): VapidClaims | null {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization ?? '') ?? []
  const [header = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  if (point.length !== 65) return null
  const jwk = { kty: 'EC', crv: 'P-256', x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') }
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  const signed = Buffer.from(`${header}.${claims}`)
  if (!verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))) return null
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  // RFC 8292 §2: at most 24 hours.
  return exp * 1_000 > now && exp * 1_000 <= now + 86_400_000 ? { aud, exp, sub, key } : null
}
