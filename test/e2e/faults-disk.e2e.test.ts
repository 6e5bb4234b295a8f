import { join } from 'node:path'
import { dataDir, endServerOf } from '@tidings/postgres/embedded'
import { type SmallDisk, smallDisk } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { freePort, type Ran, runTidings, type ServiceProcess, startProcess } from './support/service-process.ts'

const FILE = `workspace: { slug: acme, name: acme }
apiKeys: [{ name: test }]
senderDomains: [{ domain: acme.example, verified: true }]
senderAddresses: [{ email: hello@acme.example, name: Hello, verified: true }]`

const disk: SmallDisk | null = await smallDisk(200)

describe.runIf(disk !== null)('a disk that fills up under a running service', () => {
  let env: Readonly<Record<string, string>> & Readonly<{ PORT: string }>
  let service: ServiceProcess
  let acme: Client
  beforeAll(async () => {
    env = { TIDINGS_DATA_DIR: join(disk?.folder ?? '', 'data'), PORT: String(await freePort()), TIDINGS_DOMAIN_BLOCKLISTS: '' }
    service = await startProcess(env)
    const { stdout } = await runTidings(['apply', '-f', '-', '--json'], env, FILE)
    acme = clientOf({ url: service.url, applied: JSON.parse(stdout) })
  })
  afterAll(async () => {
    await service.end('SIGTERM')
    await disk?.remove()
  })

  const health = async (): Promise<string> => {
    const answer = await fetch(`${service.url}/health/ready`).catch(() => null)
    return (await answer?.text().catch(() => null)) ?? 'it does not answer'
  }
  const create = (email: string) => acme.request('POST', '/public/profiles', { email, notes: 'n'.repeat(4_000) })
  const doctor = (): Promise<Ran> => runTidings(['doctor', '--json'], env)
  const lines = () => service.output().split('\n')

  it('is what requests, the readiness check, the log and `doctor` say; nothing is a 500, and what was acknowledged is kept', async () => {
    const statuses: number[] = []
    const kept: string[] = []
    /** Several at once: a segment of the write-ahead log that is there already takes thousands. Postgres may have made room: it ends, and removes what it needs no more. */
    const writeOnFullDisk = async (): Promise<void> => {
      await disk?.fill()
      const written = Array.from({ length: 10 }, async (_, n) => {
        const email = `p${statuses.length + n}@example.com`
        return { email, ...(await create(email)) }
      })
      for (const { email, status } of await Promise.all(written)) {
        statuses.push(status)
        if (status === 201) kept.push(email)
      }
    }
    await eventually(
      async () => {
        await writeOnFullDisk()
        return await health()
      },
      (text) => text.includes('the disk is full'),
    )
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => create(`late-${n}@example.com`)))
    for (const [n, { status }] of answers.entries()) if (status === 201) kept.push(`late-${n}@example.com`)
    // Where no look found the service ready before, it is written at the sixth, a minute and more after the start.
    await eventually(
      async () => {
        await writeOnFullDisk()
        return lines().filter((line) => line.includes('"msg":"not ready: ') && line.includes('"level":"error"'))
      },
      (found) => found.some((line) => line.includes('the disk is full')),
    )
    const { stdout } = await eventually(
      async () => {
        await writeOnFullDisk()
        return await doctor()
      },
      (ran) => ran.code === 1 && ran.stdout.includes('the disk is full'),
    )
    expect(new Set([...statuses, ...answers.map(({ status }) => status)])).not.toContain(500)
    expect(stdout).toContain('Make room on it')
    expect(stdout).not.toContain('Another Tidings')

    // It cannot start again, and cannot write why: its own log is on that disk.
    await endServerOf(dataDir(env.TIDINGS_DATA_DIR ?? '').clusterDir)
    await eventually(
      async () => {
        await writeOnFullDisk()
        return await health()
      },
      (text) => text.includes('MB are left'),
    )
    const down = await eventually(
      async () => {
        await writeOnFullDisk()
        return await doctor()
      },
      (ran) => ran.stdout.includes('the disk is full'),
    )
    expect(down.code).toBe(1)
    expect(down.stdout).not.toContain('did not start')

    await disk?.clear()
    await eventually(health, (text) => text.includes('"ready"'))
    await eventually(
      async () => lines().filter((line) => line.includes('"msg":"ready again: ')),
      (found) => found.length > 0,
    )
    for (const email of kept)
      await eventually(
        async () => JSON.stringify((await acme.request('GET', `/public/profiles?search=${encodeURIComponent(email)}`)).body),
        (found) => found.includes(email),
      )
    expect((await doctor()).stdout).not.toContain('the disk is full')
  })
})
