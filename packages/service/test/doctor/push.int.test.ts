import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig, replaceVapidKey } from '@tidings/config'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkPush } from '../../src/doctor/providers.ts'

/** The keys of RFC 8291, Appendix A. */
const PRIVATE_KEY = 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'
const PUBLIC_KEY = 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8'
const CONTACT = { TIDINGS_VAPID_SUBJECT: 'mailto:ops@acme.example' }
const LEAVES = { TIDINGS_PUSH_PROVIDER: 'web-push', ...CONTACT }

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidings-doctor-'))
})
afterEach(() => rm(dataDir, { recursive: true }))

const check = (env: Readonly<Record<string, string>>) => checkPush(loadConfig({ TIDINGS_DATA_DIR: dataDir, ...env }, null))

describe('the keys of web push', () => {
  it('that are given are fine, and only the public one is shown', async () => {
    const said = await check({ TIDINGS_VAPID_PRIVATE_KEY: PRIVATE_KEY, ...CONTACT })
    expect(said).toBe(`the public key is ${PUBLIC_KEY}, as given; push services may write to mailto:ops@acme.example`)
  })

  it('of the data directory are fine; where there are none yet, none are made', async () => {
    expect(await check(LEAVES)).toBe('the first start makes the keys')
    expect(await readdir(dataDir)).toEqual([])
    await replaceVapidKey(dataDir, PRIVATE_KEY)
    const said = await check(LEAVES)
    expect(said).toContain(`${PUBLIC_KEY}, made by Tidings`)
    expect(said).not.toContain(PRIVATE_KEY)
  })

  it('may be none: then pushes wait, or stay in the outbox', async () => {
    expect(await check({})).toContain('nothing leaves this machine')
    expect(await check({ NODE_ENV: 'production' })).toContain('pushes stay queued')
    const own = { ...LEAVES, TIDINGS_DATABASE_URL: 'postgres://db/tidings' }
    expect(await check(own)).toContain('pushes stay queued')
    expect(await check({ ...own, TIDINGS_VAPID_PUBLIC_KEY: PUBLIC_KEY })).toContain('TIDINGS_VAPID_PRIVATE_KEY is not set')
  })

  it('in a file that is damaged or cannot be read are named by it, without what it holds', async () => {
    const file = join(dataDir, 'vapid.key')
    await writeFile(file, 's3cret')
    await expect(check(LEAVES)).rejects.toThrow(/^(?!.*s3cret).*vapid\.key holds no key/)
    await rm(file)
    await writeFile(join(dataDir, 'elsewhere'), PRIVATE_KEY)
    await chmod(join(dataDir, 'elsewhere'), 0o600)
    const inFile = { ...LEAVES, TIDINGS_DATA_DIR: join(dataDir, 'elsewhere') }
    await expect(check(inFile)).rejects.toThrow(/vapid\.key cannot be read \(ENOTDIR\)/)
  })

  it('need a contact that push services can write to', async () => {
    const given = { TIDINGS_VAPID_PRIVATE_KEY: PRIVATE_KEY }
    await expect(check(given)).rejects.toThrow(/^push services cannot write to mailto:tidings@(127\.0\.0\.1|localhost), /)
    expect(await check({ ...given, TIDINGS_PUBLIC_URL: 'https://mail.acme.example' })).toContain('https://mail.acme.example')
  })
})
