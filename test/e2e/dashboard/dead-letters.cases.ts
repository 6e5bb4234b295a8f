import type {
  AuditEntryPage,
  ConsumersOfDeadLetters,
  DeadLetterGroups,
  DeadLetterPage,
  ShownDeadLetter,
  SystemDeadLetterPage,
  SystemFindings,
} from '@tidings/contracts'
import { NIL_ID } from '@tidings/domain'
import { expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import { insertDeadLetters } from '../support/dead-letters.ts'
import { call, newOperator, type Session, sessionOf } from '../support/users.ts'
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

  const asOperator = async (): Promise<Session> => {
    const { world } = doors()
    const { token } = await newOperator(world.stores)
    return sessionOf(world.url, await call(world.url, 'POST /auth/link', { body: { token } }), world.settle)
  }
  const ofSystem = async (by: Session, query: string) =>
    dataOf<SystemDeadLetterPage>(await by.call(`GET /dashboard/system/dead-letters${query}`), 200).items

  it('an operator finds those of every workspace and of none, and settles each once; the workspace reads who did', async () => {
    const { world, session } = doors()
    const { client, admin } = await session('letters-of-system')
    const operator = await asOperator()
    const workspaceId = client.applied.workspace.id
    const [first, second] = await insertDeadLetters(world, workspaceId, 'ask noa@shop.example')
    const [third, fourth] = await insertDeadLetters(world, null)
    await world.settle()
    const all = await ofSystem(operator, '')
    expect(all.find(({ id }) => id === first)).toMatchObject({ workspaceId, workspace: 'letters-of-system', error: 'ask [address]' })
    expect(all.find(({ id }) => id === third)).toMatchObject({ workspaceId: null, workspace: null })
    const idsOf = async (query: string) => (await ofSystem(operator, query)).map(({ id }) => id).toSorted()
    expect(await idsOf(`?workspaceId=${workspaceId.toUpperCase()}`)).toEqual([first, second].toSorted())
    expect(await idsOf(`?workspaceId=${NIL_ID}`)).toEqual([third, fourth].toSorted())
    expect(await idsOf(`?workspaceId=${crypto.randomUUID()}`)).toEqual([])
    const groups = dataOf<DeadLetterGroups>(await operator.call('GET /dashboard/system/dead-letters/groups'), 200).items
    expect(groups).toEqual(
      expect.arrayContaining([
        { consumer: 'retired', workspaceId, workspace: 'letters-of-system', letters: 2, oldest: expect.stringMatching(/Z$/) },
        { consumer: 'retired', workspaceId: null, workspace: null, letters: 2, oldest: expect.any(String) },
      ]),
    )

    const act = (by: Session, route: string, body = {}) => by.call(`POST /dashboard/system/dead-letters/${route}`, { body })
    expect(outcome(await act(admin, `${first}/retry`))).toEqual(coded(403, 'operator_required'))
    expect(outcome(await act(operator, `${crypto.randomUUID()}/retry`))).toEqual(uncoded(404, 'Dead letter not found'))
    expect(dataOf<ShownDeadLetter>(await act(operator, `${first}/retry`), 200).state).toBe('redriving')
    expect(outcome(await act(operator, `${first}/retry`))).toEqual(coded(409, 'dead_letter_settled'))
    const reason = 'שם של אחר'
    expect(dataOf<ShownDeadLetter>(await act(operator, `${second}/discard`, { reason }), 200)).toMatchObject({ note: reason })
    expect(dataOf<ShownDeadLetter>(await act(operator, `${third}/discard`, { reason }), 200).state).toBe('discarded')
    await world.stores.pool.query(`update ops.dead_letter set source = 'record' where id = $1`, [fourth])
    expect((await act(operator, `${fourth}/retry`)).status).toBe(400)

    const { items } = dataOf<AuditEntryPage>(await admin.call('GET /dashboard/audit'), 200)
    const notes = items.filter(({ what }) => what === 'retry' || what === 'discard')
    expect(notes.map(({ what, thing, by }) => [what, thing, by]).toSorted()).toEqual([
      ['discard', second, 'operator'],
      ['retry', first, 'operator'],
    ])
    const { rows } = await world.stores.pool.query('select what, thing from ops.noted_act where workspace_id = $1', [NIL_ID])
    expect(rows).toContainEqual({ what: 'discard', thing: third })
  })

  it('an operator reads what the doctor finds, and that no process takes what was tried again', async () => {
    const { world, session } = doors()
    const { client, admin } = await session('letters-that-wait')
    const operator = await asOperator()
    const [first] = await insertDeadLetters(world, client.applied.workspace.id)
    expect((await retry(admin, first)).status).toBe(200)
    await world.stores.pool.query(`update ops.dead_letter set last_seen_at = now() - interval '2 minutes' where id = $1`, [first])
    expect(outcome(await admin.call('GET /dashboard/system/findings'))).toEqual(coded(403, 'operator_required'))
    const { items } = dataOf<SystemFindings>(await operator.call('GET /dashboard/system/findings'), 200)
    expect(items.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['stores', 'connections', 'projections', 'master key', 'log proof']),
    )
    expect(items.find(({ check }) => check === 'stores')).toMatchObject({ ok: true, said: expect.stringContaining('Postgres'), mend: null })
    expect(items.find(({ check }) => check === 'waiting work')).toMatchObject({
      ok: false,
      said: expect.stringMatching(/^dead letters that were tried again wait for a process that has retired \(\d+\)$/),
      mend: expect.stringContaining('redrive-dead-letters.md'),
    })
  })
}
