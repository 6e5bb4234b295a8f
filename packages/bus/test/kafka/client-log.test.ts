import { logLevel } from 'kafkajs'
import { expect, test } from 'vitest'
import { clientLog } from '../../src/kafka/client.ts'
import type { KafkaLog } from '../../src/kafka/settings.ts'

const lines: [string, Record<string, unknown>, string][] = []
const to =
  (level: string) =>
  (fields: Record<string, unknown>, message: string): void => {
    lines.push([level, fields, message])
  }
const log: KafkaLog = { debug: to('debug'), info: to('info'), warn: to('warn'), error: to('error') }
const entry = { message: 'The group is rebalancing', timestamp: '2026-11-21T10:00:00.000Z', logger: 'kafkajs', groupId: 'g' }

test('what the client heals by itself is no error of ours, and says what it was about', () => {
  clientLog(log)()({ namespace: 'Consumer', level: logLevel.ERROR, label: 'ERROR', log: entry })
  expect(lines).toEqual([['info', { kafka: { groupId: 'g' } }, 'The group is rebalancing']])
})

test('without a log nothing is said', () => {
  expect(() => clientLog(undefined)()({ namespace: 'Consumer', level: logLevel.ERROR, label: 'ERROR', log: entry })).not.toThrow()
})
