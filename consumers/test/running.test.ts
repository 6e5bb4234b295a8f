import type { Consumer, ConsumerOptions, LetterOf, RunningConsumer } from '@tidings/bus'
import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { asWorkspaceId, eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import type { Job } from '@tidings/jobs'
import { logTo } from '@tidings/observability/log'
import { createPool } from '@tidings/postgres'
import { expect, test } from 'vitest'
import { faultLines, reportingLetters } from '../src/running.ts'

const workspaceId = asWorkspaceId('01990000-0000-7000-8000-00000000000a')
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
  const running: RunningConsumer = { group: 'flows', progress: () => expect.unreachable(), stop: async () => undefined }
  const transport = reportingLetters((taken) => {
    options = taken
    return running
  }, logger)
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const consumer: Consumer = { group: 'flows', types: [], handle: async () => undefined }
  // A pool connects when it is asked for something, and this one is not.
  const given = { consumer, log, pool: createPool({ url: 'postgres://127.0.0.1/none', max: 1, name: 'test' }) }
  expect(transport({ ...given, onFault: (error) => void retried.push(error) })).toBe(running)
  options?.onFault?.(gone)
  const letter: LetterOf = { consumer: 'flows', workspaceId, reference: '12/0' }
  options?.onFault?.(new Error('unreadable'), letter)
  expect(retried).toEqual([gone])
  expect(lines).toMatchObject([{ level: 'error', consumer: 'flows', workspaceId, reference: '12/0', err: { message: 'unreadable' } }])
  expect(lines[0]?.msg).toContain('tidings dlq list')
})
