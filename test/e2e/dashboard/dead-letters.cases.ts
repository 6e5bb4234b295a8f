import type { ConsumersOfDeadLetters, DeadLetterPage, ShownDeadLetter } from '@tidings/contracts'
import { expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import { insertDeadLetters } from '../support/dead-letters.ts'
import type { Session } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; session: (slug: string) => Promise<Readonly<{ client: Client; admin: Session }>> }>

/** What becomes of dead letters in the dashboard. */
export function deadLetterCases(doors: () => Doors): void {
  const page = async (by: Session, query = '') => dataOf<DeadLetterPage>(await by.call(`GET /dashboard/dead-letters${query}`), 200)
  const retry = (by: Session, id: string) => by.call(`POST /dashboard/dead-letters/${id}/retry`)
  const discard = (by: Session, id: string, reason: string) => by.call(`POST /dashboard/dead-letters/${id}/discard`, { body: { reason } })

  it('a dead letter is tried again or given up with a reason, once, by its own workspace alone', async () => {
    const { world, session } = doors()
    const { client, admin } = await session('letters')
    const { admin: stranger } = await session('letters-2')
    const [first, second] = await insertDeadLetters(world, client.applied.workspace.id)
    expect((await page(admin)).items.map(({ id }) => id).toSorted()).toEqual([first, second].toSorted())
    expect((await page(admin)).items[0]).toMatchObject({
      consumer: 'retired',
      source: 'event',
      messageId: null,
      attempts: 1,
      state: 'open',
    })
    expect((await page(stranger)).items).toEqual([])
    const unknown = uncoded(404, 'Dead letter not found')
    expect([outcome(await retry(stranger, first)), outcome(await discard(stranger, second, 'x'))]).toEqual([unknown, unknown])
    expect((await discard(admin, second, ' \u200b')).body.message).toBe('reason must have a character that can be seen')
    expect((await discard(admin, second, 'x'.repeat(501))).status).toBe(400)

    const atOnce = await Promise.all([retry(admin, first), retry(admin, first)])
    expect(atOnce.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(outcome(await retry(admin, first))).toEqual(coded(409, 'dead_letter_settled'))
    const given = dataOf<ShownDeadLetter>(await discard(admin, second, 'It was a \u202etry.'), 200)
    expect(given).toMatchObject({ state: 'discarded', note: 'It was a \u202etry.' })
    expect(outcome(await discard(admin, second, 'again'))).toEqual(coded(409, 'dead_letter_settled'))
    expect((await page(admin)).items.map(({ id, state }) => [id, state])).toEqual([[first, 'redriving']])
  })

  it('dead letters are listed in pages and by consumer, and a sentence that names somebody does not', async () => {
    const { world, session } = doors()
    const { client, admin } = await session('many-letters')
    const workspaceId = client.applied.workspace.id
    const all = [
      ...(await insertDeadLetters(world, workspaceId, 'noa@pages.example is no +972501234567')),
      ...(await insertDeadLetters(world, workspaceId)),
    ]
    const one = await page(admin, '?limit=1')
    const ids = [one.items[0]?.id]
    for (let cursor = one.next_cursor; cursor !== null; ) {
      const next = await page(admin, `?limit=1&after=${cursor}`)
      ids.push(next.items[0]?.id)
      cursor = next.next_cursor
    }
    expect(ids.toSorted()).toEqual(all.toSorted())
    expect((await page(admin)).items.at(-1)?.error).toBe('[address] is no [number]')
    expect((await page(admin, '?consumer=retired')).items).toHaveLength(4)
    expect((await page(admin, '?consumer=other')).items).toEqual([])
    expect(dataOf<ConsumersOfDeadLetters>(await admin.call('GET /dashboard/dead-letters/consumers'), 200).items).toEqual([
      { consumer: 'retired', letters: 4 },
    ])
    expect((await admin.call('GET /dashboard/dead-letters?after=MTIz')).body.message).toBe('after must be the next_cursor of a page')
  })
}
