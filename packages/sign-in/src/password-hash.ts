import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

/** The first choice of OWASP's password storage cheat sheet for scrypt (N = 2^17, r = 8, p = 1): 128 MiB and a few tenths of a second a try. */
const TODAY = { ln: 17, r: 8, p: 1 }
const SALT_BYTES = 16
const KEY_BYTES = 32

type Cost = Readonly<{ ln: number; r: number; p: number }>

const derive = (password: string, salt: Buffer, { ln, r, p }: Cost): Promise<Buffer> => {
  const options: ScryptOptions = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r }
  // The same password typed on two keyboards may differ in its code points, not in its NFKC form.
  return new Promise((resolve, reject) =>
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) => (error === null ? resolve(key) : reject(error))),
  )
}

/** The hash as text that says how it was made: `$scrypt$ln=17,r=8,p=1$<salt>$<key>`, both base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const key = await derive(password, salt, TODAY)
  return `$scrypt$ln=${TODAY.ln},r=${TODAY.r},p=${TODAY.p}$${salt.toString('base64')}$${key.toString('base64')}`
}

const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/

/** Whether the hash was made from this password, compared in constant time. False for a text that is not such a hash. */
export async function isPasswordOf(hash: string, password: string): Promise<boolean> {
  const [, ln, r, p, salt = '', key = ''] = FORM.exec(hash) ?? []
  const wanted = Buffer.from(key, 'base64')
  if (ln === undefined || wanted.length !== KEY_BYTES) return false
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), { ln: Number(ln), r: Number(r), p: Number(p) }), wanted)
}

/** The hash of no password: to check one against it takes as long as against a real one. */
export const NO_PASSWORD = `$scrypt$ln=${TODAY.ln},r=${TODAY.r},p=${TODAY.p}$${zeros(SALT_BYTES)}$${zeros(KEY_BYTES)}`

/** A hash that no password fits, for a user who signs in by a link; each is another one, so what stood for an earlier one does not stand for it. No password has its salt. */
export function unusablePasswordHash(): string {
  return `$scrypt$ln=${TODAY.ln},r=${TODAY.r},p=${TODAY.p}$${zeros(SALT_BYTES)}$${randomBytes(KEY_BYTES).toString('base64')}`
}

/** False of a hash that stands for no password; one that an earlier version made in its place looks like a password. */
export function hasPassword(hash: string): boolean {
  return FORM.exec(hash)?.[4] !== zeros(SALT_BYTES)
}

function zeros(bytes: number): string {
  return Buffer.alloc(bytes).toString('base64')
}
