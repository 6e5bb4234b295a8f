import { loadConfig } from '@tidings/config'
import { expect, it } from 'vitest'
import { settingsOfEach } from '../../src/processes/start-processes.ts'

const embedded = loadConfig({}, null)
const poolOf = (count: number, connections: number) => settingsOfEach(embedded, count, connections).storage.poolSize

it('shares the connections of the embedded database out, a pool never larger than it was set', () => {
  expect(poolOf(2, 100)).toBe(10)
  expect(poolOf(4, 100)).toBe(8)
  expect(poolOf(11, 100)).toBe(2)
  expect(poolOf(15, 192)).toBe(4)
})

it('refuses more processes than have connections, in one sentence', () => {
  expect(() => poolOf(12, 100)).toThrow('TIDINGS_PROCESSES must be at most 11 on this machine: its embedded Postgres has 100 connections.')
})

it('leaves the pools of another database as they are set', () => {
  const own = loadConfig({ TIDINGS_DATABASE_URL: 'postgres://localhost/tidings' }, null)
  expect(settingsOfEach(own, 64, 100)).toBe(own)
})
