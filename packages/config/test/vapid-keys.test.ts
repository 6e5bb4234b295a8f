import { createECDH, generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigError, loadConfig } from '../src/load-config.ts'
import { readVapidKey, replaceVapidKey, vapidKeys } from '../src/vapid-keys.ts'

let folder: string
let dataDir: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-vapid-'))
  dataDir = join(folder, 'data')
})
afterEach(() => rm(folder, { recursive: true }))

const keysOf = (env: Readonly<Record<string, string>> = {}) => vapidKeys(loadConfig({ TIDINGS_DATA_DIR: dataDir, ...env }, null))
/** The application server's keys of RFC 8291, Appendix A. */
const given = {
  TIDINGS_VAPID_PRIVATE_KEY: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  TIDINGS_VAPID_PUBLIC_KEY: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
}

describe('VAPID keys', () => {
  it('are made once, for this machine alone, by starts at the same moment too', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => keysOf()))
    expect(new Set(all.map((keys) => keys?.privateKey)).size).toBe(1)
    const [first] = all
    expect(Buffer.from(first?.publicKey ?? '', 'base64url')).toHaveLength(65)
    expect(Buffer.from(first?.privateKey ?? '', 'base64url')).toHaveLength(32)
    expect(await keysOf()).toEqual(first)
    expect(await readdir(dataDir)).toEqual(['vapid.key'])
    expect((await stat(join(dataDir, 'vapid.key'))).mode & 0o777).toBe(0o600)
  })

  it('belong together', async () => {
    const keys = await keysOf()
    const curve = createECDH('prime256v1')
    curve.setPrivateKey(Buffer.from(keys?.privateKey ?? '', 'base64url'))
    expect(curve.getPublicKey().toString('base64url')).toBe(keys?.publicKey)
  })

  it('that are given are used, also where the folder has some', async () => {
    await keysOf()
    expect(await keysOf(given)).toMatchObject({ publicKey: given.TIDINGS_VAPID_PUBLIC_KEY, privateKey: given.TIDINGS_VAPID_PRIVATE_KEY })
    const { TIDINGS_VAPID_PUBLIC_KEY: _, ...privateAlone } = given
    expect(await keysOf(privateAlone)).toMatchObject({ publicKey: given.TIDINGS_VAPID_PUBLIC_KEY })
    const { TIDINGS_VAPID_PRIVATE_KEY: __, ...publicAlone } = given
    expect(await keysOf(publicAlone)).toMatchObject({ publicKey: given.TIDINGS_VAPID_PUBLIC_KEY, privateKey: null })
  })

  it('are none where a database is given and no keys are, and nothing is written', async () => {
    const database = { TIDINGS_DATABASE_URL: 'postgres://db/tidings' }
    expect(await keysOf(database)).toBeNull()
    expect(await readdir(folder)).toEqual([])
    expect(await keysOf({ ...database, ...given })).toMatchObject({ publicKey: given.TIDINGS_VAPID_PUBLIC_KEY })
  })

  it('of a backup replace those of the folder', async () => {
    await keysOf()
    await replaceVapidKey(dataDir, given.TIDINGS_VAPID_PRIVATE_KEY)
    expect(await readVapidKey(dataDir)).toBe(given.TIDINGS_VAPID_PRIVATE_KEY)
    expect(await keysOf()).toMatchObject({ publicKey: given.TIDINGS_VAPID_PUBLIC_KEY })
  })

  it('name a contact that push services take: the public address, else a mailbox of its host', async () => {
    expect((await keysOf({ TIDINGS_PUBLIC_URL: 'https://mail.acme.example/x' }))?.subject).toBe('https://mail.acme.example')
    expect((await keysOf({ TIDINGS_PUBLIC_URL: 'http://mail.acme.example' }))?.subject).toBe('mailto:tidings@mail.acme.example')
    expect((await keysOf({ TIDINGS_VAPID_SUBJECT: 'mailto:ops@acme.example' }))?.subject).toBe('mailto:ops@acme.example')
  })

  it('that do not belong together, or are none, stop the start', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey.export({ format: 'der', type: 'spki' })
    const TIDINGS_VAPID_PUBLIC_KEY = other.subarray(-65).toString('base64url')
    expect(() => loadConfig({ ...given, TIDINGS_VAPID_PUBLIC_KEY }, null)).toThrow(ConfigError)
    const none = { TIDINGS_VAPID_PRIVATE_KEY: '_'.repeat(43) }
    expect(() => loadConfig(none, null)).toThrow('TIDINGS_VAPID_PRIVATE_KEY must be a private key of P-256')
    expect(() => loadConfig({ TIDINGS_VAPID_PRIVATE_KEY: 'short' }, null)).toThrow(/^TIDINGS_VAPID_PRIVATE_KEY must be .*base64url\.$/)
    expect(() => loadConfig({ TIDINGS_VAPID_SUBJECT: 'ops@acme.example' }, null)).toThrow(ConfigError)
  })

  it('of one’s own say that pushes are to leave', () => {
    const providerOf = (env: Readonly<Record<string, string>>) => loadConfig(env, null).push.provider
    expect(providerOf({})).toBe('outbox')
    expect(providerOf(given)).toBe('web-push')
    expect(providerOf({ ...given, TIDINGS_PUSH_PROVIDER: 'outbox' })).toBe('outbox')
    expect(providerOf({ TIDINGS_PUSH_PROVIDER: 'web-push' })).toBe('web-push')
  })
})
