import type { ConsumerOptions, LetterOf, RunningConsumer } from '@tidings/bus'
import type { WorkspaceId } from '@tidings/domain'
import type { Job } from '@tidings/jobs'
import { logTo } from '@tidings/observability/log'
import { expect, test } from 'vitest'
import { faultLines, reportingLetters } from '../src/running.ts'

const workspaceId = '01990000-0000-7000-8000-00000000000a' as WorkspaceId
const job = { workspaceId, seq: 7n, attempt: 2 } as Job

const recorded = () => {
  const lines: Record<string, unknown>[] = []
  return { lines, logger: logTo({ write: (line: string) => void lines.push(JSON.parse(line)) }, 'info') }
}
const gone = Object.assign(new Error('the server closed the connection'), { code: '08006' })

test('a job that became a dead letter is one error line with its kind, workspace, last error and the command that shows it', () => {
  const { lines, logger } = recorded()
  faultLines(logger, 'a job failed')(new Error('no such template'), job, { kind: 'email.marketing', fate: 'dead letter', id: 'letter-1' })
  expect(lines).toMatchObject([
    {
      ...{ level: 'error', kind: 'email.marketing', workspaceId, seq: '7', attempt: 2, deadLetter: 'letter-1' },
      err: { message: 'no such template' },
      msg: 'a job failed for good, and is a dead letter: see `tidings dlq show letter-1`',
    },
  ])
})

test('a job that is tried again is a warning that says when', () => {
  const { lines, logger } = recorded()
  faultLines(logger, 'a job failed')(new Error('odd'), job, { kind: 'sms.marketing', fate: 'again', inMs: 5_000 })
  expect(lines).toMatchObject([{ level: 'warn', retryInMs: 5_000, msg: 'a job failed; it is tried again' }])
})

test('an outage that seven jobs and a loop meet is one warning, and no failed job', () => {
  const { lines, logger } = recorded()
  const report = faultLines(logger, 'a job failed')
  for (let n = 0; n < 7; n++) report(gone, job, { kind: 'email.transactional', fate: 'waits', inMs: 1_000 })
  report(gone, null, null)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({ level: 'warn', err: { code: '08006' } })
  expect(lines[0]?.msg).not.toContain('failed')
})

test('a loop that meets a fault of its own is an error', () => {
  const { lines, logger } = recorded()
  faultLines(logger, 'a job failed')(new TypeError('undefined is no function'), null, null)
  expect(lines).toMatchObject([{ level: 'error', msg: 'a job failed', err: { message: 'undefined is no function' } }])
})

test('thousands of faults are sixty lines', () => {
  const { lines, logger } = recorded()
  const report = faultLines(logger, 'a job failed')
  for (let n = 0; n < 5_000; n++) report(new Error('odd'), job, { kind: 'sms.marketing', fate: 'again', inMs: 5_000 })
  expect(lines).toHaveLength(60)
})

test('an event that becomes a dead letter is one error line with its group, workspace, position and error; a retried error goes where it went', () => {
  const { lines, logger } = recorded()
  const retried: unknown[] = []
  let options: ConsumerOptions | undefined
  const running = { group: 'flows', progress: () => expect.unreachable(), stop: async () => undefined } as unknown as RunningConsumer
  const transport = reportingLetters((given) => {
    options = given
    return running
  }, logger)
  expect(transport({ onFault: (error: unknown) => void retried.push(error) } as unknown as ConsumerOptions)).toBe(running)
  options?.onFault?.(gone)
  const letter: LetterOf = { consumer: 'flows', workspaceId, reference: '12/0' }
  options?.onFault?.(new Error('unreadable'), letter)
  expect(retried).toEqual([gone])
  expect(lines).toMatchObject([{ level: 'error', consumer: 'flows', workspaceId, reference: '12/0', err: { message: 'unreadable' } }])
  expect(lines[0]?.msg).toContain('tidings dlq list')
})
