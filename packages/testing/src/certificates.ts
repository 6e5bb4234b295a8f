import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

/** A certificate and its key, both in PEM. */
export type Certificate = Readonly<{ cert: string; key: string }>

type Keys = Readonly<{ publicKey: KeyObject; privateKey: KeyObject }>

/** Somebody who signs certificates for host names and IPv4 addresses; `days` may lie in the past. `keys`: new ones of an elliptic curve where they are left out. */
export type Authority = Readonly<{ cert: string; issue: (host: string, days?: number, keys?: Keys) => Certificate }>

// The part of X.509 (RFC 5280) in DER that TLS asks of a certificate, so that no test needs openssl on the machine.
const der = (tag: number, ...content: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(content)
  const size = body.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const sequence = (...content: readonly Buffer[]): Buffer => der(0x30, ...content)
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'))
const COMMON_NAME = oid('550403')
const ALT_NAME = oid('551d11')
const BASIC_CONSTRAINTS = oid('551d13')
const TRUE = der(0x01, Buffer.from([0xff]))

const DAY_MS = 86_400_000

const named = (name: string): Buffer => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))))
const time = (at: number): Buffer =>
  der(
    0x17,
    Buffer.from(
      `${new Date(at)
        .toISOString()
        .replace(/[-:T]|\..*/g, '')
        .slice(2)}Z`,
    ),
  )
const extension = (id: Buffer, value: Buffer): Buffer => sequence(id, TRUE, der(0x04, value))
const pem = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`

const altName = (host: string): Buffer =>
  isIPv4(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host))

type Request = Readonly<{ issuer: string; subject: string; days: number; extension: Buffer; publicKey: KeyObject; signer: KeyObject }>

const signed = ({ issuer, subject, days, extension: only, publicKey, signer }: Request): string => {
  const now = Date.now()
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    named(issuer),
    sequence(time(now + Math.min(days, 0) * DAY_MS - DAY_MS), time(now + days * DAY_MS)),
    named(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(only)),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, signer))
  return pem('CERTIFICATE', sequence(content, ECDSA_SHA256, signature))
}

const newKeys = (): Keys => generateKeyPairSync('ec', { namedCurve: 'prime256v1' })

export function newAuthority(name: string): Authority {
  const { publicKey, privateKey: signer } = newKeys()
  const isAuthority = extension(BASIC_CONSTRAINTS, sequence(TRUE))
  return {
    cert: signed({ issuer: name, subject: name, days: 2, extension: isAuthority, publicKey, signer }),
    issue: (host, days = 2, keys = newKeys()) => {
      const forHost = extension(ALT_NAME, sequence(altName(host)))
      return {
        cert: signed({ issuer: name, subject: host, days, extension: forHost, publicKey: keys.publicKey, signer }),
        key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      }
    },
  }
}
