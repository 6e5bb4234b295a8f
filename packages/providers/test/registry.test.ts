import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Value } from '@sinclair/typebox/value'
import { describe, expect, test } from 'vitest'
import { kindNamed, settingMust, settingPattern } from '../src/provider-kind.ts'
import { type ProviderChannel, providerKinds } from '../src/registry.ts'

const channels = ['email', 'sms', 'voice', 'push'] as const
type AnyKind = Readonly<{
  name: string
  begins: readonly string[]
  settings: Readonly<Record<string, { default?: unknown; env?: string }>>
}>
const kindsOf = (channel: ProviderChannel): readonly AnyKind[] => providerKinds[channel]
const patternOf = (channel: ProviderChannel) => new RegExp(settingPattern(kindsOf(channel)))

describe('the providers of', () => {
  test.each(channels)('%s differ in how their setting begins', (channel) => {
    const kinds = kindsOf(channel)
    const begins = kinds.flatMap((kind) => kind.begins)
    expect(new Set(begins).size).toBe(begins.length)
    for (const kind of kinds) {
      for (const start of kind.begins) {
        const setting = start.endsWith('://') ? `${start}user:pass@host:1` : start
        expect(kindNamed(kinds, setting)).toBe(kind)
        expect(setting).toMatch(patternOf(channel))
      }
    }
  })

  test.each(channels)('%s have settings with a variable, whose default is one that may be set', (channel) => {
    for (const { settings } of kindsOf(channel)) {
      for (const schema of Object.values(settings)) {
        expect(schema.env).toMatch(/^TIDINGS_[A-Z_]+$/)
        expect(Value.Check(schema as never, schema.default)).toBe(true)
      }
    }
  })
})

describe('a setting that names a provider of', () => {
  test.each([
    [
      'email',
      '',
      'smtp://',
      'smtp:// host',
      'imap://host',
      'outbox ',
      'OUTBOX',
      'smtpx://host',
      ' smtp://host',
      'outboxes',
      'twilio://a:b@c',
    ],
    ['sms', 'outbox://x', 'twilio:', 'smtp://h', 'TWILIO://a:b@c'],
    ['voice', 'smpp://u:p@h', 'web-push'],
    ['push', 'web-push://x', 'webpush'],
  ] as const)('%s does not allow %j', (channel, ...settings) => {
    for (const setting of settings) expect(setting, setting).not.toMatch(patternOf(channel))
  })
})

test.each([
  [['outbox', 'smtp://', 'smtps://'], '`outbox`, or an address that starts with smtp:// or smtps://'],
  [['outbox', 'twilio://', 'smpp://', 'smpps://'], '`outbox`, or an address that starts with twilio://, smpp:// or smpps://'],
  [['outbox', 'twilio://'], '`outbox`, or an address that starts with twilio://'],
  [['outbox', 'web-push'], '`outbox` or `web-push`'],
])('what begins with one of %j must be %s', (begins, must) => {
  expect(
    settingMust(
      begins.map((start) => ({ begins: [start] })),
      '`',
    ),
  ).toBe(must)
})

test('the list loads no client and no provider: a process that sends nothing has none of them in memory', async () => {
  const registry = new URL('../src/registry.ts', import.meta.url).href
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
    await import(${JSON.stringify(registry)})
    process.stdout.write(JSON.stringify(loaded))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', '--input-type=module', '-e', script])
  const loaded: readonly string[] = JSON.parse(stdout)
  expect(loaded).toContain(registry)
  expect(loaded.filter((url) => url.includes('/node_modules/') && !url.includes('@sinclair+typebox'))).toEqual([])
  expect(loaded.filter((url) => /-provider|session|connection|api\.ts/.test(url) && !url.includes('/node_modules/'))).toEqual([])
})
