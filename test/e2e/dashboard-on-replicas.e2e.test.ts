import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf, outcome, uncoded } from './support/answers.ts'
import { eventually } from './support/eventually.ts'
import { inOneProcess, startOnReplica, type WorldOnReplica } from './support/world-on-replica.ts'

// The dashboard where Postgres has a replica: what pages show is read there, and what is decided is decided on the primary (M130).

let on: WorldOnReplica
let sessions: WorldOnReplica['sessions']
beforeAll(async () => {
  if (!inOneProcess) return
  on = await startOnReplica()
  sessions = on.sessions
})
afterAll(() => on?.stop())

type Page = Readonly<{ items: readonly Readonly<{ id: string; email: string }>[]; total: number }>
const add = (email: string) => sessions.owner.call('POST /dashboard/profiles', { body: { email } })
const isThere = (id: string) => on.ask(sessions.owner, `GET /dashboard/profiles/${id}`)
/** What the process does without, as `/health/ready` says. */
const withoutWhat = async (): Promise<string> => {
  const health = (await (await fetch(`${on.world.url}/health/ready`)).json()) as Readonly<{ degraded?: readonly unknown[] }>
  return JSON.stringify(health.degraded ?? [])
}

describe.runIf(inOneProcess)('a signed-in person', () => {
  it('asks on the replica what only computes, and on the primary what a change is decided by', async () => {
    const rule = { field: 'firstName', op: 'eq', value: 'Noa' }
    const counted = await eventually(
      () => on.ask(sessions.member, 'POST /dashboard/lists/count', { rule }),
      ({ answered: { replica: by } }) => by > 0,
    )
    expect([counted.status, counted.statements, JSON.parse(counted.text).data.matches]).toEqual([200, [], 1])
    const texts = { channel: 'email', subject: '{{firstName}}', html: '<p>Hi</p>', contactId: on.things.profiles }
    const checked = await eventually(
      () => on.ask(sessions.member, 'POST /dashboard/templates/check', texts),
      ({ answered: { replica: by } }) => by > 0,
    )
    expect([checked.statements, JSON.parse(checked.text).data.rendered.subject]).toEqual([[], 'Noa'])
    const changed = await on.ask(sessions.owner, `PATCH /dashboard/profiles/${on.things.profiles}`, { lastName: 'Levi' })
    expect([changed.status, changed.answered.replica]).toEqual([200, 0])
  })

  it('sees what a press was answered with', async () => {
    await on.untilOnReplica()
    let promised = 0
    for (let n = 0; n < 10; n++) {
      const answer = await add(`pressed-${n}@doors.example`)
      const { id } = dataOf<Readonly<{ id: string }>>(answer, 201)
      if (answer.headers.get('x-consistency') === 'pending') continue
      promised++
      expect((await isThere(id)).status).toBe(200)
    }
    expect(promised).toBeGreaterThan(0)
  })

  it('gets a page and its total from one snapshot, whatever is written meanwhile', async () => {
    const ask = async () => dataOf<Page>(await sessions.member.call('GET /dashboard/profiles?limit=1&sort=-createdAt'), 200)
    await on.world.settle()
    const before = await eventually(ask, ({ items }) => items[0]?.email === 'pressed-9@doors.example')
    const now = { isOver: false, seen: 0 }
    const reading = async (): Promise<void> => {
      while (!now.isOver) {
        const { items, total } = await ask()
        const n = Number(/^total-(\d+)@/.exec(items[0]?.email ?? '')?.[1] ?? -1)
        expect(total).toBe(before.total + n + 1)
        now.seen++
      }
    }
    const all = [reading(), reading()]
    for (let n = 0; n < 20; n++) expect((await add(`total-${n}@doors.example`)).status).toBe(201)
    now.isOver = true
    await Promise.all(all)
    expect(now.seen).toBeGreaterThan(1)
  })
})

/** The statement itself may conflict with what is replayed then. */
const resume = () =>
  eventually(
    () =>
      on.replicaPool.query('select pg_wal_replay_resume()').then(
        () => true,
        () => false,
      ),
    Boolean,
  )

describe.runIf(inOneProcess)('a replica that stands still', () => {
  it('neither hides what was written for longer than the bound, nor gives a tag to what is older', async () => {
    const contents = new Map<string, Set<string>>()
    const look = async () => {
      const answer = await sessions.owner.call('GET /dashboard/figures?from=2026-01-01&to=2026-01-02')
      const tag = answer.headers.get('etag')
      if (tag !== null) contents.set(tag, (contents.get(tag) ?? new Set()).add(JSON.stringify(answer.body)))
      return answer
    }
    await on.untilOnReplica()
    await look()
    await on.replicaPool.query('select pg_wal_replay_pause()')
    const body = { email: 'while-paused@doors.example', emailConsent: 'subscribed' }
    // Unlike the session, this waits for nothing where reads do not show it.
    const { text } = await on.ask(sessions.owner, 'POST /dashboard/profiles', body)
    const { id } = (JSON.parse(text) as Readonly<{ data: Readonly<{ id: string }> }>).data
    await eventually(
      async () => {
        await look()
        return (await isThere(id)).status
      },
      (status) => status === 200,
    )
    expect((await on.replicaPool.query('select pg_is_wal_replay_paused() as paused')).rows).toEqual([{ paused: true }])
    await look()
    await resume()
    await on.untilOnReplica()
    await look()
    expect([...contents.values()].map(({ size }) => size)).toEqual([...contents].map(() => 1))
    expect(contents.size).toBeGreaterThan(1)
  })

  it('lets in no session that has ended, and no person who was removed', async () => {
    const leaving = await on.userNamed('admin')
    await on.untilOnReplica()
    await on.replicaPool.query('select pg_wal_replay_pause()')
    expect((await leaving.call('GET /dashboard/people')).status).toBe(200)
    expect((await leaving.call('POST /auth/logout')).status).toBe(204)
    expect(outcome(await leaving.call('GET /dashboard/people'))).toEqual(uncoded(401, 'Authentication required'))
    const member = on.acme.applied.users['member@doors.example']
    expect((await sessions.member.call('GET /dashboard/profiles')).status).toBe(200)
    expect((await sessions.owner.call(`DELETE /dashboard/people/${member}`)).status).toBe(204)
    expect((await sessions.member.call('GET /dashboard/profiles')).status).toBe(401)
    await resume()
  })
})

describe.runIf(inOneProcess)('without its replica', () => {
  const exported = (format: string) => on.ask(sessions.owner, `GET /dashboard/profiles/${on.things.profiles}/export?format=${format}`)

  it('the dashboard goes on, and a file of a person is byte for byte the same', async () => {
    await on.untilOnReplica()
    await on.world.settle()
    const onReplica = (format: string) =>
      eventually(
        () => exported(format),
        (one) => one.answered.replica > 0,
      )
    const there = [await onReplica('json'), await onReplica('html')]
    expect(there.flatMap(({ statements }) => statements)).toEqual([])
    const workspace = await on.ask(sessions.owner, 'GET /dashboard/workspace-file/download')
    await on.replica.kill()
    await eventually(withoutWhat, (said) => said.includes('does not answer'))
    const here = [await exported('json'), await exported('html')]
    expect(here.map(({ answered: by }) => by.replica)).toEqual([0, 0])
    expect(here.map(({ text }) => text)).toEqual(there.map(({ text }) => text))
    expect((await on.ask(sessions.owner, 'GET /dashboard/workspace-file/download')).text).toBe(workspace.text)
    await on.replica.start()
    await on.untilOnReplica()
  })

  it('the dashboard leaves out one that was promoted, and says so', async () => {
    await on.replicaPool.query('select pg_promote()')
    await eventually(withoutWhat, (said) => said.includes('promoted'))
    await on.replicaPool.query("delete from read.profiles where email like 'pressed-%'")
    const page = await on.ask(sessions.owner, 'GET /dashboard/profiles?search=pressed-')
    expect([page.answered, (JSON.parse(page.text) as Readonly<{ data: Page }>).data.items.length]).toEqual([{ primary: 1, replica: 0 }, 10])
  })
})
