import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { until } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort, runTidings, type ServiceProcess, startProcess } from './support/service-process.ts'

let folder: string
let service: ServiceProcess
let key: string
const inFolder = (name: string): string => join(folder, name)
const settings = (dataDir: string) => ({
  TIDINGS_DATA_DIR: inFolder(dataDir),
  TIDINGS_LOG_ANCHOR: pathToFileURL(inFolder('anchor')).href,
  TIDINGS_LOG_LEVEL: 'error',
})
const tidings = (dataDir: string, ...args: readonly string[]) => runTidings(args, settings(dataDir))
/** The events of the newest tree head at the anchor; 0 before the first. */
const anchoredSize = async (): Promise<number> => {
  const newest = (await readFile(inFolder('anchor'), 'utf8').catch(() => '')).split('\n').at(-2)
  return newest === undefined ? 0 : (JSON.parse(newest) as Readonly<{ statement: Readonly<{ size: number }> }>).statement.size
}
const servedKey = async (): Promise<unknown> => (await fetch(`${service.url}/.well-known/tidings-log-key`)).json()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-proof-'))
  service = await startProcess({ ...settings('data'), PORT: String(await freePort()) })
  await until(() => expect(service.output()).toContain('sk_evt_'))
  key = /(sk_evt_[0-9a-f]{64})/.exec(service.output())?.[1] ?? ''
})
afterAll(async () => {
  await service.end('SIGTERM')
  await rm(folder, { recursive: true })
})

const subscribed = async (email: string): Promise<string> => {
  const answer = await fetch(`${service.url}/api/v1/public/profiles`, {
    method: 'POST',
    headers: { 'X-Sender-Tenant': 'demo', 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, emailConsent: 'subscribed' }),
  })
  const { data } = (await answer.json()) as Readonly<{ data: Readonly<{ id: string }> }>
  return data.id
}

it('doctor and the service name the key by which an export beside the running service is verified', async () => {
  const { fingerprint, publicKey } = (await servedKey()) as Readonly<Record<string, string>>
  expect([fingerprint, publicKey]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)])
  expect((await tidings('data', 'doctor')).stdout).toContain(
    `log key: exports of consents are signed by the key with the fingerprint ${fingerprint}`,
  )
  const id = await subscribed('ada@example.com')
  const exported = await tidings('data', 'consent', 'export', '--workspace', 'demo', '--id', id, '--out', inFolder('proof'), '--json')
  expect(JSON.parse(exported.stdout)).toMatchObject({ contacts: 1, consents: 1, fingerprint })
  expect(JSON.parse((await tidings('none', 'consent', 'verify', inFolder('proof'), '--key', fingerprint!, '--json')).stdout)).toMatchObject(
    {
      ok: true,
      keyChecked: true,
    },
  )
  const unnamed = await tidings('none', 'consent', 'verify', inFolder('proof'))
  expect([unnamed.code, unnamed.stdout]).toEqual([3, expect.stringMatching(/^OK, consistency only: 1 contact, 1 consent and /)])
  const named = await tidings('none', 'consent', 'verify', inFolder('proof'), '--key', fingerprint!)
  expect([named.code, named.stdout]).toEqual([0, expect.stringMatching(/^OK: 1 contact, 1 consent and /)])
  expect(await readFile(inFolder('proof/report.html'), 'utf8')).toContain('ada@example.com')
  const ahead = ['--id', id, '--out', inFolder('ahead'), '--at', '2999-01-01']
  expect((await tidings('data', 'consent', 'export', '--workspace', 'demo', ...ahead)).code).toBe(2)
  const again = await tidings('data', 'consent', 'export', '--workspace', 'demo', '--id', id, '--out', inFolder('proof'))
  expect([again.code, again.stderr]).toEqual([1, `${inFolder('proof')} is not empty: name a new or empty folder with --out.\n`])
  const other = await tidings('none', 'consent', 'verify', inFolder('proof'), '--key', '0'.repeat(64))
  expect([other.code, other.stdout]).toEqual([1, expect.stringContaining('- The export is signed by another key than yours')])
})

it('a restored backup signs with the same key, and what was anchored after it was taken says that events are lost', async () => {
  const before = await servedKey()
  expect((await tidings('data', 'backup', inFolder('backup'))).code).toBe(0)
  await subscribed('eve@example.com')
  const exported = await tidings('data', 'consent', 'export', '--workspace', 'demo', '--out', inFolder('all'), '--json')
  await expect.poll(anchoredSize).toBeGreaterThanOrEqual((JSON.parse(exported.stdout) as Readonly<{ size: number }>).size)
  const right = await tidings('data', 'log', 'verify', '--json')
  expect([right.code, JSON.parse(right.stdout)]).toEqual([0, expect.objectContaining({ ok: true, problems: [] })])
  await service.end('SIGTERM')
  expect((await tidings('restored', 'restore', inFolder('backup'))).code).toBe(0)
  const lost = await tidings('restored', 'log', 'verify', '--json')
  expect([lost.code, JSON.parse(lost.stdout).problems]).toEqual([
    1,
    [
      expect.stringMatching(
        /^Line [0-9]+ of the anchor is a tree head of [0-9]+ events .*: events were removed, or an older backup was restored\.$/,
      ),
    ],
  ])
  service = await startProcess({ ...settings('restored'), PORT: String(await freePort()) })
  expect(await servedKey()).toEqual(before)
})
