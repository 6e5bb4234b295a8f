import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS } from '@tidings/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Readers } from '../../../src/proof/check/leaf-parts.ts'
import { type VerifiedLog, verifyLog } from '../../../src/proof/check/verify-log.ts'
import { growTree } from '../../../src/proof/grow-tree.ts'
import { signDueHead } from '../../../src/proof/keep-heads.ts'
import { openWorld, type World } from '../proof.testing.ts'

const COUNT = 600

const fill = async ({ store }: World): Promise<void> => {
  for (let n = 0; n < COUNT; n += 50) {
    const events = Array.from({ length: 50 }, (_, k) => ({
      id: crypto.randomUUID(),
      type: 'ThingHappened',
      data: `{"n":${n + k}}`,
      meta: '{}',
    }))
    await store.append(`thing-${crypto.randomUUID()}`, 'no_stream', events)
  }
}

/** What somebody did to the event at a position. */
const FORGERIES = {
  change: (at: number) => `update es.event set data = '{"n":-1}' where position = ${at}`,
  remove: (at: number) => `delete from es.event where position between ${at} and ${at + (at % 7)}`,
  swap: (
    at: number,
  ) => `update es.event set position = -9 where position = ${at}; update es.event set position = ${at} where position = ${at + 11};
    update es.event set position = ${at + 11} where position = -9`,
}

const forgery = fc.record({
  kind: fc.constantFrom<keyof typeof FORGERIES>('change', 'remove', 'swap'),
  // These include the borders of parts of 20 and of 7.
  at: fc.oneof(fc.integer({ min: 1, max: COUNT - 20 }), fc.constantFrom(20, 21, 40, 41, 140, 141, 560, 561)),
})

const verified = async (
  world: World,
  readers: Readers | null,
  more: Partial<Parameters<typeof verifyLog>[0]> = {},
): Promise<VerifiedLog> => {
  const store = postgresEventStore({ pool: world.pool, appendDeadlineMs: PATIENT_MS })
  try {
    const { pool, key } = world
    return await verifyLog({ ...{ pool, store, readers, key, anchorFile: null, restart: true, onProgress: () => undefined }, ...more })
  } finally {
    await store.close()
  }
}

const urlOf = ({ pool }: World): string => pool.options.connectionString ?? ''

test('threads find what one thread finds, finding for finding, also when they were stopped', async () => {
  const forged = fc.record({
    forgeries: fc.array(forgery, { maxLength: 4 }),
    part: fc.constantFrom(7, 20),
    threads: fc.constantFrom(2, 3),
    stop: fc.nat(25),
  })
  await fc.assert(
    fc.asyncProperty(forged, async ({ forgeries, part, threads, stop }) => {
      const world = await openWorld('Postgres')
      try {
        const { pool, store, key } = world
        await fill(world)
        await growTree({ pool, store })
        await signDueHead(pool, key, { everyMs: 0, everyEvents: 1 }, () => new Date())
        for (const { kind, at } of forgeries)
          await pool.query(`set es.allow_rewrite = 'on'; ${FORGERIES[kind](at)}; reset es.allow_rewrite`)
        const serial = await verified(world, null)
        const readers = { url: urlOf(world), threads, part }
        expect(await verified(world, readers)).toEqual(serial)
        let parts = 0
        const onProgress = (): void => {
          if (parts++ === stop) throw new Error('stopped')
        }
        await expect(verified(world, readers, { onProgress, saveEveryMs: 0 })).rejects.toThrow('stopped')
        const resumed = await verified(world, readers, { restart: false })
        expect(resumed.ok).toBe(serial.ok && resumed.resumed === null)
        expect({ ...resumed, ok: serial.ok, heads: serial.heads, resumed: null }).toEqual(serial)
      } finally {
        await world.close()
      }
    }),
    { numRuns: 3 },
  )
}, 600_000)
