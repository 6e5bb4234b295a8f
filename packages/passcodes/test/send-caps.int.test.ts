import { memoryKeyRing } from '@tidings/codec'
import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import { patientPool, type TestDatabase, testDatabase } from '@tidings/testing'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cap, createSendCaps, deleteExpiredCaps, type VolumeLimits } from '../src/send-caps.ts'

let database: TestDatabase
let pools: readonly Pool[]

beforeAll(async () => {
  database = await testDatabase()
  pools = [database.pool, patientPool({ url: database.url, max: 10, name: 'second process' })]
})
afterAll(async () => {
  await pools[1]?.end()
  await database.drop()
})

const keyRing = memoryKeyRing()
const OFF: VolumeLimits = { workspacePerHour: 'off', prefixPerHour: 'off' }
let workspaces = 0

/** Two processes, and a workspace that nothing was sent for. */
const world = (limits = OFF) => {
  const workspaceId = asWorkspaceId(`00000000-0000-4000-8000-${String(++workspaces).padStart(12, '0')}`)
  const refused: Cap[] = []
  const [one, two] = pools.map((pool) => createSendCaps({ pool, keyRing, limits, onRefused: (cap) => refused.push(cap) }))
  const processes = [one!, two!]
  const take = (n: number, phone = '+972501234567') => processes[n % 2]!.take({ workspaceId, phone })
  const takeAll = async (count: number, phoneOf: (n: number) => string) => {
    const taken = await Promise.allSettled(Array.from({ length: count }, (_, n) => take(n, phoneOf(n))))
    return taken.filter(({ status }) => status === 'fulfilled').length
  }
  const pass = (ms: number) =>
    database.pool.query(
      `update ops.passcode_number set sent = (select array_agg(at - $2::bigint order by at) from unnest(sent) at), last_at = last_at - $2::bigint
       where workspace_id = $1`,
      [workspaceId, ms],
    )
  const passHour = () => database.pool.query('update ops.passcode_window set ends = 0 where workspace_id = $1', [workspaceId])
  return { workspaceId, refused, check: () => processes[1]!.check({ workspaceId, phone: '+972501234567' }), take, takeAll, pass, passHour }
}
const MINUTE = 60_000
const same = () => '+972501234567'

describe('a number', () => {
  it('gets five passcodes in ten minutes, however many processes are asked at once', async () => {
    const { takeAll, check, refused } = world()
    await expect(check()).resolves.toBeUndefined()
    expect(await takeAll(60, same)).toBe(5)
    expect(refused).toEqual(Array.from({ length: 55 }, () => 'number'))
    await expect(check()).rejects.toMatchObject({ code: 'otp_cap_reached' })
  })

  it('is not refused for what a clock that was ahead has counted, and has its five from then on', async () => {
    const { take, takeAll, check, pass } = world()
    expect(await takeAll(5, same)).toBe(5)
    await pass(-24 * 60 * MINUTE)
    await expect(check()).resolves.toBeUndefined()
    expect(await takeAll(10, same)).toBe(5)
    await expect(take(0)).rejects.toMatchObject({ code: 'otp_cap_reached' })
  })

  it('gets the next one ten minutes after the fifth last, and not before', async () => {
    const { take, takeAll, check, pass } = world()
    await take(0)
    await pass(6 * MINUTE)
    expect(await takeAll(10, same)).toBe(4)
    const wait = (minutes: number) => ({
      context: { retryAfterSeconds: expect.toSatisfy((s: number) => s > minutes * 60 - 30 && s <= minutes * 60) },
    })
    await expect(check()).rejects.toMatchObject(wait(4))
    await pass(4 * MINUTE)
    await expect(check()).resolves.toBeUndefined()
    expect(await takeAll(10, same)).toBe(1)
    await expect(take(1)).rejects.toMatchObject(wait(6))
  })

  it('of one workspace is not that of another', async () => {
    const [mine, theirs] = [world(), world()]
    expect(await mine.takeAll(6, same)).toBe(5)
    expect(await theirs.takeAll(6, same)).toBe(5)
  })

  it('stands in no row', async () => {
    await world({ workspacePerHour: 9, prefixPerHour: 9 }).take(0, '+972587654321')
    const { rows } = await database.pool.query(
      'select t::text as row from ops.passcode_number t union all select t::text from ops.passcode_window t',
    )
    expect(rows.length).toBeGreaterThan(1)
    for (const { row } of rows) expect(row).not.toContain('7654321')
  })
})

describe('an hour', () => {
  const spread = (n: number) => `+9725${String(n).padStart(4, '0')}0000`
  const block = (n: number) => `+97250123${String(n).padStart(4, '0')}`

  it('has a cap for the workspace, which its processes share and which opens again', async () => {
    const { takeAll, refused, passHour } = world({ workspacePerHour: 20, prefixPerHour: 'off' })
    expect(await takeAll(40, spread)).toBe(20)
    expect(new Set(refused)).toEqual(new Set(['workspace']))
    await passHour()
    expect(await takeAll(40, (n) => spread(100 + n))).toBe(20)
  })

  it('has a cap for a block of ten thousand numbers, which leaves others alone', async () => {
    const { takeAll, take, refused } = world({ workspacePerHour: 'off', prefixPerHour: 10 })
    expect(await takeAll(30, block)).toBe(10)
    expect(new Set(refused)).toEqual(new Set(['prefix']))
    await expect(take(0, block(77))).rejects.toMatchObject({ code: 'otp_volume_cap_reached' })
    await expect(take(0, '+972501240000')).resolves.toBeUndefined()
  })

  it('counts nothing that a cap refuses', async () => {
    const { takeAll, take } = world({ workspacePerHour: 7, prefixPerHour: 6 })
    expect(await takeAll(50, same)).toBe(5)
    await take(0, block(9_999))
    await expect(take(0, block(9_998))).rejects.toThrow('otp_volume_cap_reached')
    await take(0, spread(1))
    await expect(take(0, spread(2))).rejects.toThrow('otp_volume_cap_reached')
  })
})

it('what is over is deleted in batches, and nothing else is', async () => {
  const old = world({ workspacePerHour: 100, prefixPerHour: 100 })
  await old.takeAll(12, (n) => `+97252000${n}000`.padEnd(13, '0'))
  await old.pass(11 * MINUTE)
  await old.passHour()
  const young = world({ workspacePerHour: 5, prefixPerHour: 100 })
  await young.takeAll(5, same)
  const rows = async (workspaceId: WorkspaceId) =>
    Number(
      (
        await database.pool.query(
          'select (select count(*) from ops.passcode_number where workspace_id = $1) + (select count(*) from ops.passcode_window where workspace_id = $1) as n',
          [workspaceId],
        )
      ).rows[0].n,
    )
  expect(await rows(old.workspaceId)).toBeGreaterThan(10)
  while ((await deleteExpiredCaps(database.pool, 5)) >= 5);
  expect(await rows(old.workspaceId)).toBe(0)
  expect(await rows(young.workspaceId)).toBe(3)
  await expect(young.take(0)).rejects.toThrow('otp_cap_reached')
})

it('deleting what is over while others send loses no count', async () => {
  const { takeAll } = world({ workspacePerHour: 1_000, prefixPerHour: 1_000 })
  let deleting = true
  const cleaner = (async () => {
    while (deleting) await deleteExpiredCaps(database.pool, 100)
  })()
  expect(await takeAll(80, same)).toBe(5)
  deleting = false
  await cleaner
})

it('a workspace and a prefix are not refused until the end of a window that a clock ahead has opened', async () => {
  const { workspaceId, takeAll } = world({ workspacePerHour: 3, prefixPerHour: 3 })
  expect(await takeAll(6, (n) => `+97250123456${n}`)).toBe(3)
  await database.pool.query('update ops.passcode_window set ends = ends + 86400000 where workspace_id = $1', [workspaceId])
  expect(await takeAll(6, (n) => `+97250123457${n}`)).toBe(3)
})
