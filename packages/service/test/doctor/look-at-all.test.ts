import { expect, it } from 'vitest'
import { CONFIGURED, lookAtAll } from '../../src/doctor/index.ts'

const SOON_MS = 1
const LATER_MS = 2 ** 31 - 1

it('a group that hangs is a finding, and is asked once however often somebody looks', async () => {
  let asked = 0
  const hanging = { check: 'stores', look: () => new Promise<never>(() => asked++) }
  const look = lookAtAll([hanging], { clean: (text) => text, lateMs: SOON_MS })
  const late = [CONFIGURED, expect.objectContaining({ check: 'stores', ok: false, said: expect.stringContaining('no answer within') })]
  expect(await Promise.all([look(), look()])).toEqual([late, late])
  expect(await look()).toEqual(late)
  expect(asked).toBe(1)
})

it('a group that fails is a finding, beside what the others say', async () => {
  const groups = [
    { check: 'stores', look: () => Promise.reject(new Error('canceling statement')) },
    { check: 'what is outside', look: async () => [{ check: 'DNS', ok: true, said: 'answers' }] },
  ]
  expect(await lookAtAll(groups, { clean: (text) => text, lateMs: LATER_MS })()).toEqual([
    CONFIGURED,
    expect.objectContaining({ check: 'stores', ok: false, said: 'canceling statement' }),
    { check: 'DNS', ok: true, said: 'answers' },
  ])
})

it('neither what is said nor what to do has a secret, or more than a page', async () => {
  const said = `${'s'.repeat(1_990)} 🔑🔑🔑🔑 hunter2`
  const groups = [{ check: 'DNS', look: async () => [{ check: 'DNS', ok: false, said: `hunter2 ${said}`, mend: 'not hunter2' }] }]
  const [, finding] = await lookAtAll(groups, { clean: (text) => text.replaceAll('hunter2', '…'), lateMs: LATER_MS })()
  expect(finding?.mend).toBe('not …')
  expect(finding?.said).toHaveLength(2_000)
  expect(finding?.said).toMatch(/^… s/)
  expect(finding?.said.isWellFormed()).toBe(true)
})
