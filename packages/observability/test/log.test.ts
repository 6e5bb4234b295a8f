import { expect, test } from 'vitest'
import { logTo } from '../src/log.ts'

function written(write: (log: ReturnType<typeof logTo>) => void): string {
  const lines: string[] = []
  write(logTo({ write: (line) => lines.push(line) }, 'info'))
  return lines.join('')
}

test('a line is one JSON object with the level by name and the time in ISO form', () => {
  const line = JSON.parse(written((log) => log.info({ workspace: 'acme' }, 'hello')))
  expect(line).toMatchObject({ level: 'info', workspace: 'acme', msg: 'hello' })
  expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
})

test.each([
  { password: 'hunter2' },
  { apiKey: 'hunter2' },
  { headers: { authorization: 'hunter2' } },
  { req: { headers: { 'x-api-key': 'hunter2' } } },
  { job: { recipient: { email: 'hunter2' } } },
  { contact: { phone: 'hunter2' } },
])('secrets and personal fields are redacted: %j', (fields) => {
  expect(written((log) => log.info(fields))).not.toContain('hunter2')
})

test('a request is logged without its query', () => {
  expect(written((log) => log.info({ req: { id: 'r1', method: 'GET', url: '/profiles?search=jane@acme.example' } }))).toContain(
    '"req":{"id":"r1","method":"GET","path":"/profiles"}',
  )
})

test('an error keeps message, code and cause, and loses row values and the passwords of addresses', () => {
  const cause = new Error('connect failed: postgres://tidings:hunter2@db:5432/tidings')
  const error = Object.assign(new Error('duplicate key', { cause }), { code: '23505', detail: 'Key (email)=(jane@acme.example)' })
  const text = written((log) => log.error({ err: error }, 'write failed'))
  expect(JSON.parse(text).err).toMatchObject({
    message: 'duplicate key',
    code: '23505',
    cause: { message: 'connect failed: postgres://db:5432/tidings' },
  })
  expect(text).not.toMatch(/hunter2|jane/)
})
