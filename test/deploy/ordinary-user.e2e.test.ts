import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../e2e/support/eventually.ts'
import { freePort, launchProcess, type ServiceProcess } from '../e2e/support/service-process.ts'
import { canBeOrdinary, createOrdinaryUser, type OrdinaryUser } from './ordinary-user.ts'
import { ROOT } from './tools.ts'

/** Tests whose outcome depends on who runs them: modes and owners of files, folders that may not be written, the account of Postgres. */
const TESTS = [
  'packages/config/test/secrets.test.ts',
  'packages/config/test/make-folder.test.ts',
  'packages/config/test/vapid-keys.test.ts',
  'packages/backup-and-export/test/backup/whole-folder.test.ts',
  'packages/postgres/test/embedded/identity.int.test.ts',
  'packages/backup-and-export/test/backup/copy.int.test.ts',
]

describe.runIf(await canBeOrdinary())('an ordinary user with a clone of the tree', () => {
  let user: OrdinaryUser
  beforeAll(async () => {
    user = await createOrdinaryUser()
  })
  afterAll(() => user?.remove())

  const run = async (...command: readonly string[]) => {
    const [program = '', ...args] = [...user.as, ...command]
    return (await promisify(execFile)(program, args, { cwd: '/', maxBuffer: 1 << 26 })).stdout
  }

  describe('starts the service as the README says', () => {
    let service: ServiceProcess
    beforeAll(async () => {
      const PORT = String(await freePort())
      const command = [...user.as, `PORT=${PORT}`, 'TIDINGS_LOG_LEVEL=warn', 'npm', 'start']
      service = launchProcess({ PORT }, command)
      await service.ready()
    })
    afterAll(() => service?.end('SIGKILL'))

    it('and pastes its three lines', async () => {
      expect(await readFile(`${ROOT}README.md`, 'utf8')).toContain('npm start')
      const lines = await eventually(
        async () => service.output().match(/^curl .*$/gm) ?? [],
        (found) => found.length === 3,
      )
      const [sent, status, profiles] = [
        await run('sh', '-c', lines[0] ?? ''),
        () => run('sh', '-c', lines[1] ?? ''),
        () => run('sh', '-c', lines[2] ?? ''),
      ] as const
      const { messageId } = JSON.parse(sent).data as { messageId: string }
      const [message] = await eventually(
        async () => JSON.parse(await status()).data.items as readonly { id: string; status: string }[],
        (items) => items[0]?.status === 'sent',
      )
      expect(message?.id).toBe(messageId)
      expect(JSON.parse(await profiles()).data.items).toMatchObject([{ email: 'ada@example.com' }])
    })

    it('in files of its own, which no other account reads', async () => {
      // The folder of a socket keeps others out, so the mode of the socket need not.
      const wrong = ['!', '-type', 's', '(', '!', '-uid', String(user.uid), '-o', '-perm', '/077', ')']
      const strangers = await run('find', '.tidings', ...wrong, '-print', '-prune')
      expect(strangers).toBe('')
      expect(await run('find', '.tidings', '-name', 'PG_VERSION', '-path', '*/postgres/PG_VERSION')).not.toBe('')
    })

    it('and stops it, which leaves no server behind', async () => {
      const { code } = await service.end('SIGTERM')
      expect(code).toBe(0)
      await eventually(
        async () => await run('sh', '-c', `ps -o comm= -u ${user.uid} | grep postgres || true`),
        (left) => left === '',
      )
    })
  })

  it('passes the tests that depend on who runs them', async () => {
    await run('node_modules/.bin/vitest', 'run', '--reporter=json', '--outputFile=report.json', ...TESTS)
    const report = JSON.parse(await readFile(`${user.clone}/report.json`, 'utf8')) as { numPassedTests: number; numFailedTests: number }
    expect(report.numFailedTests).toBe(0)
    expect(report.numPassedTests).toBeGreaterThan(TESTS.length)
  })
})
