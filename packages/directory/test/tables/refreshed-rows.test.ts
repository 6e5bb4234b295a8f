import { describe, expect, it } from 'vitest'
import { CAUGHT_UP_MS, createRefreshedRows } from '../../src/tables/refreshed-rows.ts'

type StatusRow = Readonly<{ status: string }>

/** A table that the test fills, read as of a position that the test moves. */
const world = () => {
  let time = 0
  const table = new Map<string, StatusRow>()
  const source = { position: 10n, delay: Promise.resolve() }
  const loads: (readonly string[])[] = []
  const rows = createRefreshedRows<StatusRow>({
    now: () => time,
    load: async (keys) => {
      loads.push(keys)
      const seen = new Map([...table].filter(([key]) => keys.includes(key)))
      const position = { commit: source.position, prepare: 0n }
      await source.delay
      return { rows: seen, position }
    },
  })
  const pass = (ms: number): void => {
    time += ms
  }
  return { rows, table, source, loads, pass }
}

const active: StatusRow = { status: 'active' }
const revoked: StatusRow = { status: 'revoked' }

describe('rows that are refreshed', () => {
  it('are read once, and then answered without a promise', async () => {
    const { rows, table, loads } = world()
    table.set('k', active)
    await rows.refresh()
    expect(await rows.get('k')).toEqual(active)
    expect(rows.get('k')).toEqual(active)
    expect(loads).toEqual([[], ['k']])
  })

  it('are those of the last refresh, whose position is known', async () => {
    const { rows, table, source } = world()
    table.set('k', active)
    await rows.refresh()
    await rows.get('k')
    table.set('k', revoked)
    source.position = 11n
    await rows.refresh()
    expect(rows.get('k')).toEqual(revoked)
    expect(rows.position()).toEqual({ commit: 11n, prepare: 0n })
  })

  it('are forgotten when they are gone', async () => {
    const { rows, table } = world()
    table.set('k', active)
    await rows.refresh()
    await rows.get('k')
    table.delete('k')
    await rows.refresh()
    expect(await rows.get('k')).toBeNull()
  })

  it('are not kept when they were read before the last look and answered after it', async () => {
    const { rows, table, source, loads } = world()
    await rows.refresh()
    table.set('k', active)
    const gate = Promise.withResolvers<void>()
    source.delay = gate.promise
    const early = rows.get('k')
    await new Promise(setImmediate)
    table.set('k', revoked)
    Object.assign(source, { position: 11n, delay: Promise.resolve() })
    await rows.refresh()
    gate.resolve()
    expect(await early).toEqual(active)
    expect(await rows.get('k')).toEqual(revoked)
    expect(loads).toHaveLength(4)
  })

  it('are those of the newer of two reads, whichever is answered last', async () => {
    const { rows, table, source } = world()
    table.set('k', active)
    await rows.refresh()
    const gate = Promise.withResolvers<void>()
    source.delay = gate.promise
    const early = rows.get('k')
    await new Promise(setImmediate)
    table.set('k', revoked)
    Object.assign(source, { position: 11n, delay: Promise.resolve() })
    expect(await rows.get('k')).toEqual(revoked)
    gate.resolve()
    expect(await early).toEqual(active)
    expect(rows.get('k')).toEqual(revoked)
  })

  it('are read from the database when the last refresh is a second ago', async () => {
    const { rows, table, pass } = world()
    table.set('k', active)
    await rows.refresh()
    await rows.get('k')
    table.set('k', revoked)
    pass(CAUGHT_UP_MS - 1)
    expect(rows.get('k')).toEqual(active)
    pass(1)
    expect(await rows.get('k')).toEqual(revoked)
  })

  it('are dropped when they are not asked for', async () => {
    const { rows, table, loads, pass } = world()
    table.set('k', active)
    await rows.refresh()
    await rows.get('k')
    pass(5_000)
    await rows.refresh()
    await rows.refresh()
    expect(loads.slice(2)).toEqual([[], []])
  })
})
