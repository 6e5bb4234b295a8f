import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asContactId, type ContactId } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, STORES, type World } from '../proof.testing.ts'
import { verified } from './run-verifiers.testing.ts'

let folders: string
beforeAll(async () => {
  folders = await mkdtemp(join(tmpdir(), 'tidings-proof-'))
})
afterAll(() => rm(folders, { recursive: true }))

const proofIn = (directory: string) => JSON.parse(readFileSync(join(directory, 'proof.json'), 'utf8'))

describe.each(STORES)('an export from %s', (kind) => {
  let world: World
  let ada: ContactId
  beforeAll(async () => {
    world = await openWorld(kind)
    ada = asContactId(await world.newContact('ada@example.com'))
    for (let n = 0; n < 5; n++) await world.newContact(`other${n}@example.com`)
    await world.say(ada, { channel: 'email', from: 'subscribed', to: 'unsubscribed' })
    await world.say(ada, { channel: 'sms', from: 'never_subscribed', to: 'subscribed', actor: 'form:footer' })
  })
  afterAll(() => world.close())

  test('of one contact shows its history, and both verifiers find nothing wrong', async () => {
    const directory = join(folders, `${kind}-one`)
    expect(await world.exportTo(directory, ada)).toMatchObject({ contacts: 1, consents: 3, events: 4, size: 14 })
    const { contacts } = proofIn(directory)
    expect(contacts[0].consents).toMatchObject([
      {
        revision: 1,
        channel: 'email',
        from: null,
        to: 'subscribed',
        actor: 'api_key:0192b1f0-0000-7000-8000-0000000000aa',
        ip: '203.0.113.7',
      },
      { revision: 2, channel: 'email', from: 'subscribed', to: 'unsubscribed', actor: 'contact' },
      { revision: 3, channel: 'sms', from: 'never_subscribed', to: 'subscribed', actor: 'form:footer' },
    ])
    const { fingerprint } = world.key
    expect(await verified(directory, '--key', fingerprint.toUpperCase())).toMatchObject({
      status: 0,
      said: { ok: true, problems: [], keyChecked: true },
    })
    const { status, said } = await verified(directory)
    expect([status, said.ok, said.keyChecked]).toEqual([3, true, false])
    expect(said.notes.join(' ')).toContain(
      'What is proven is in proof.json: report.html shows it for people, and is as its signer wrote it.',
    )
    expect(said.notes[0]).toContain(
      `Only consistency was checked: anyone can sign such a folder with a key of their own. Compare ${fingerprint}`,
    )
  })

  test('holds nothing of another contact, and nothing in clear that is not shown', async () => {
    const directory = join(folders, `${kind}-alone`)
    await world.exportTo(directory, ada)
    const texts = ['proof.json', 'report.html'].map((name) => readFileSync(join(directory, name), 'utf8'))
    for (const text of texts) expect(text).not.toMatch(/other\d@example\.com/)
    expect(texts[0]).not.toMatch(/example\.com|Adelaide|server/)
    const proof = proofIn(directory)
    expect(
      JSON.stringify(proof)
        .match(/"contact-[^"]*"/g)
        ?.every((stream) => stream.includes(ada)),
    ).toBe(true)
    expect(texts[1]).toContain('Mozilla/5.0 (&quot;quotes&quot; &amp; &lt;tags&gt;)')
  })

  test('of a workspace has every contact that ever had a consent', async () => {
    const directory = join(folders, `${kind}-all`)
    expect(await world.exportTo(directory, null)).toMatchObject({ contacts: 6, consents: 8 })
    expect((await verified(directory, '--key', world.key.fingerprint)).said.problems).toEqual([])
  })

  test('shows by earlier heads that the log only grew', async () => {
    await world.say(ada, { channel: 'sms', from: 'subscribed', to: 'unsubscribed' })
    const directory = join(folders, `${kind}-later`)
    await world.exportTo(directory, ada)
    const { earlierHeads, head } = proofIn(directory)
    expect([
      earlierHeads.map(({ head: { statement } }: { head: { statement: { size: number } } }) => statement.size),
      head.statement.size,
    ]).toEqual([[14], 15])
    expect((await verified(directory)).status).toBe(3)
  })

  test('of an erased person still proves which channel moved when, with nothing that names anybody', async () => {
    const eve = asContactId(await world.newContact('eve@example.com'))
    await world.say(eve, { channel: 'email', from: 'subscribed', to: 'unsubscribed' })
    await world.erase(eve)
    const directory = join(folders, `${kind}-erased`)
    await world.exportTo(directory, eve)
    const [contact] = proofIn(directory).contacts
    expect(contact.erased).toBe(true)
    expect(contact.consents).toMatchObject([
      { channel: 'email', to: 'subscribed', ip: null, userAgent: null },
      { channel: 'email', to: 'unsubscribed', ip: null, userAgent: null },
    ])
    expect((await verified(directory, '--key', world.key.fingerprint)).said.problems).toEqual([])
    expect(readFileSync(join(directory, 'report.html'), 'utf8')).not.toMatch(/203\.0\.113\.7|Mozilla|Adelaide|eve@/)
  })

  test('opens nothing of a person whose erasure was asked for, though the key is still there', async () => {
    const eve = asContactId(await world.newContact('eve2@example.com'))
    await world.requestErasure(eve)
    const directory = join(folders, `${kind}-erasing`)
    await world.exportTo(directory, eve)
    const [contact] = proofIn(directory).contacts
    expect(contact).toMatchObject({ erased: true, consents: [{ channel: 'email', to: 'subscribed', ip: null, userAgent: null }] })
    expect((await verified(directory, '--key', world.key.fingerprint)).said.problems).toEqual([])
  })

  test('is refused in one sentence where it has more events than a proof can hold', async () => {
    const directory = join(folders, `${kind}-many`)
    const limited = (contactId: ContactId | null, maxEvents: number) => world.exportTo(directory, contactId, { maxEvents })
    await expect(limited(null, 13)).rejects.toThrow(
      'The contacts with consents have more than 13 events, too many for one proof: export them one by one with --id.',
    )
    await expect(limited(null, 1)).rejects.toMatchObject({
      reason: 'too_large',
      message: expect.stringMatching(/^More than 1 contacts have consents/),
    })
    await expect(limited(ada, 3)).rejects.toThrow(`Contact ${ada} has more than 3 events, too many for a proof`)
    expect(await limited(ada, 5)).toMatchObject({ contacts: 1 })
  })

  test('of all is refused where the log is longer than it may be, though its tree was not grown before', async () => {
    await world.say(ada, { channel: 'email', from: 'subscribed', to: 'subscribed' })
    const limited = (contactId: ContactId | null) => world.exportTo(join(folders, `${kind}-long-${contactId}`), contactId, { maxLog: 14 })
    await expect(limited(null)).rejects.toThrow('The log has more than 14 events, too many to find all contacts with consents.')
    expect(await limited(ada)).toMatchObject({ contacts: 1 })
  })

  test('shows what rows of another hand hide from readers', async () => {
    if (kind !== 'Postgres') return
    const eve = asContactId(await world.newContact('eve3@example.com'))
    await world.say(eve, { channel: 'email', from: 'subscribed', to: 'unsubscribed' })
    const { stream_id } = (await world.pool.query(`select stream_id from es.event where stream_id like '%' || $1 limit 1`, [eve])).rows[0]
    for (const [n, hiding] of [
      'tombstoned = true',
      'deleted_before = 9',
      'max_count = 1',
      'truncate_before = 2',
      'max_age_seconds = 0',
    ].entries()) {
      await world.pool.query('insert into es.stream_meta (stream_id) values ($1)', [stream_id])
      await world.pool.query(`update es.stream_meta set ${hiding}`)
      expect(await world.exportTo(join(folders, `hidden-${n}`), eve)).toMatchObject({ consents: 2, events: 3 })
      await world.pool.query('delete from es.stream_meta')
    }
  })

  test('is refused in one sentence for a contact that is not there', async () => {
    await expect(world.exportTo(join(folders, `${kind}-none`), asContactId('0192b1f0-0000-7000-8000-00000000ffff'))).rejects.toThrow(
      'Workspace acme has no contact 0192b1f0-0000-7000-8000-00000000ffff.',
    )
  })
})
